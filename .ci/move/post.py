import sys
from pathlib import Path
P=Path(sys.argv[1])
def sub(f,a,b,count=1):
    p=P/f
    if not p.exists(): print('POST: no file',f); return
    t=p.read_text()
    if a not in t: print('POST: not found in',f,':',a[:70]); return
    p.write_text(t.replace(a,b,count))
sub('pandas_dp/views/plots_more.py','for axes, ((statistic, column), values) in zip(grid.flat, panels, strict=False):\n        _panel(axes, values','for each, ((statistic, column), values) in zip(grid.flat, panels, strict=False):\n        _panel(each, values')
sub('pandas_dp/views/plots_more.py','''        axes.set_title(about, fontsize=10, color=INK, loc="left")
        axes.set_xlabel(axis, fontsize=9, color=INK)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)''','''        each.set_title(about, fontsize=10, color=INK, loc="left")
        each.set_xlabel(axis, fontsize=9, color=INK)
    for each in grid.flat[len(panels) :]:
        each.set_visible(False)''')
# statistics and measurements are found in every subject's files of that role
sub('pandas_dp/core/measure/statistic.py','''    found = []
    for module in pkgutil.iter_modules(importlib.import_module(__package__).__path__):
        declared = vars(importlib.import_module(f"{__package__}.{module.name}")).values()
        found += [each for each in declared if isinstance(each, Statistic)]
    return {statistic.name: statistic for statistic in found}
''','''    declared = (each for module in modules_of("statistic") for each in vars(module).values())
    return {each.name: each for each in declared if isinstance(each, Statistic)}


def modules_of(role: str) -> Iterator[ModuleType]:
    """The files of that role in every subject, e.g. `statistic.py`, `statistic_means.py`.

    Examples
    --------
    >>> "pandas_dp.survival.statistic" in [module.__name__ for module in modules_of("statistic")]
    True
    """
    house = Path(__file__).parents[2]
    for path in sorted(house.rglob(f"{role}*.py")):
        if path.stem.partition("_")[0] == role and path.parents[1] != house / "core":
            yield importlib.import_module(".".join((house.name, *path.relative_to(house).with_suffix("").parts)))
''')
sub('pandas_dp/core/measure/statistic.py','from collections.abc import Callable, Hashable','from collections.abc import Callable, Hashable, Iterator')
sub('pandas_dp/core/measure/statistic.py','from typing import','from pathlib import Path\nfrom types import ModuleType\nfrom typing import')
sub('tests/contracts/test_reach.py','''        for name, kind in inspect.getmembers(tally, inspect.isclass)
        if hasattr''','''        for module in modules_of("measure")
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == module.__name__ and hasattr''')
sub('tests/contracts/test_reach.py','from pandas_dp.core.measure.measurement import Tally','from pandas_dp.core.measure.measurement import Tally\nfrom pandas_dp.core.measure.statistic import modules_of')
sub('pandas_dp/audit/cases.py','''    for module in pkgutil.iter_modules(__path__):
        room = importlib.import_module(f"{__name__}.{module.name}")
        for name''','''    for room in modules_of("statistic"):
        for name''')
import re
p=P/'pandas_dp/audit/cases.py'; t=p.read_text()
t=t.replace('import importlib\n','').replace('import pkgutil\n','')
t=t.replace('from ..core.measure.measurement import','from ..core.measure.statistic import modules_of\nfrom ..core.measure.measurement import',1)
p.write_text(t)
sub('tests/docs/test_docstrings.py','testing, accounting]','audit, resampling]')
sub('tests/docs/test_docstrings.py','audit, accounting]','audit, resampling]')
p=P/'tests/docs/test_docstrings.py'; t=p.read_text()
t=t.replace('from pandas_dp import custodian, datasets\n','from pandas_dp import audit, custodian, datasets\n').replace('from pandas_dp import audit, audit','from pandas_dp import audit')
t=t.replace('from pandas_dp.core.noise import mechanisms\n','from pandas_dp.core.noise import mechanisms\nfrom pandas_dp.numeric import accounting as resampling\n')
p.write_text(t)

sub('tests/people/test_contract.py','MADE = (people.__name__, row_means.__name__)','MADE = (statistic.__name__,)')
p=P/'tests/people/test_contract.py'; t=p.read_text()
t=re.sub(r'from pandas_dp.statistics import people, row_means\n','',t); t=t.replace('from pandas_dp.people.statistic import','from pandas_dp.people import statistic\nfrom pandas_dp.people.statistic import',1)
t=re.sub(r'MADE = \(.*\)\n','MADE = (statistic.__name__,)\n',t)
p.write_text(t)
sub('pandas_dp/__init__.py','"combine": ".conclusions"','"combine": ".core.conclude.combine"')
sub('pandas_dp/__init__.py','"PublishedTables": ".conclusions"','"PublishedTables": ".tables.published.conclude"')
sub('pandas_dp/__init__.py','"open_tables": ".conclusions"','"open_tables": ".tables.published.conclude"')
sub('pandas_dp/__init__.py','from .core.door.frame import FrameFace','from .core.door import accessor as _registered  # noqa: F401 (it registers `.dp`)\nfrom .core.door.frame import FrameFace')
for _ in range(2): sub('tests/contracts/test_storage.py','"pandas_dp.backends.PandasRows.fold"','"pandas_dp.core.engine.rows.PandasRows.fold"')
sub('tests/bootstrap/test_answers.py','import pandas_dp.session\n','')
p=P/'tests/people/test_contract.py'; t=p.read_text()
t=re.sub(r'from pandas_dp.people import statistic as people, statistic as row_means\n|from pandas_dp.people import statistic as row_means\n|from pandas_dp.people import statistic as people\n|from pandas_dp.statistics import people, row_means\n','',t)
p.write_text(t)

import shutil
for each in Path(str(Path(__file__).parent/'files')).rglob('*.py'):
    shutil.copy(each, P/each.relative_to(str(Path(__file__).parent/'files')))
homes=sorted(x.stem for x in (P/'pandas_dp/views/hints').glob('*.py') if x.stem not in ('__init__','check'))
p=P/'pandas_dp/views/hints/check.py'; t=p.read_text()
t=t.replace('from ...core.label.reading import Released\n','from ...core.label.reading import Released\n',1)
i=t.index('\n\n\ndef findings'); t=t[:i]+'\nfrom . import '+', '.join(homes)+'  # noqa: F401 (each brings its hints)'+t[i:]
p.write_text(t)
sub('tests/mechanisms/test_values.py',"""    def named(room: Any) -> set[str]:
        found = inspect.getmembers(room, inspect.isclass)
        return {name for name, kind in found if kind.__module__.startswith(f"{room.__name__}.")}

    assert not named(laws) & named(mechanisms)
    ours = {kind.__name__ for kind in Law.known.values() if kind.__module__.startswith("pandas_dp.")}
    assert ours <= set(dir(laws))
""","""    offered = {kind.__name__ for kind in (*Additive.known.values(), *Perturbation.known.values())}
    assert {"Laplace", "Gaussian"} <= offered
    assert not offered & {kind.__name__ for kind in Law.known.values()}
""")
t=(P/'tests/mechanisms/test_values.py').read_text()
if 'Perturbation' not in t.split('def ')[0]: (P/'tests/mechanisms/test_values.py').write_text(t.replace('from pandas_dp.core.noise.mechanism import','from pandas_dp.core.noise.perturbation import Perturbation\nfrom pandas_dp.core.noise.mechanism import',1))
