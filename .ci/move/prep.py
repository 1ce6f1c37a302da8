"""Changes before the move: one place for array types; registries that walk packages."""
import re,sys
from pathlib import Path
P=Path(sys.argv[1]); R=P/'pandas_dp'
pat=re.compile(r'^(Floats|Array|Column|Numbers) = (np\.ndarray\[Any, Any\]|np\.ndarray\[Any, np\.dtype\[np\.float64\]\]|npt\.NDArray\[np\.float64\]|NDArray\[np\.float64\]|npt\.NDArray\[Any\]|NDArray\[Any\])([^\n]*)\n',re.M)
(R/'arrays.py').write_text('''"""Names for the types of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = np.ndarray[Any, Any]
Floats = npt.NDArray[np.float64]
''')
n=0
for p in R.rglob('*.py'):
    if p.name=='arrays.py': continue
    t=p.read_text(); o=t
    names=[m.group(1) for m in pat.finditer(t)]
    names=[x for x in names if x in ('Floats','Array')]
    if not names: continue
    t=re.sub(r'^(%s) = .*\n'%'|'.join(names),'',t,flags=re.M)
    depth=len(p.relative_to(R).parts)
    imp=f"from {'.'*depth}arrays import {', '.join(sorted(names))}\n"
    # before the first relative import, else after the last import
    m=re.search(r'^from \.',t,re.M)
    if m: t=t[:m.start()]+imp+t[m.start():]
    else:
        m=list(re.finditer(r'^(?:import|from) [^\n]*\n',t,re.M))[-1]; t=t[:m.end()]+'\n'+imp+t[m.end():]
    p.write_text(t); n+=1
print('arrays:',n)
def sub(f,a,b,count=1):
    p=R/f; t=p.read_text()
    if a not in t: print('PREP: not found in',f,':',a[:60]); return
    p.write_text(t.replace(a,b,count))
# registries that found their files by their folder
sub('laws/__init__.py','''for _module in pkgutil.iter_modules(__path__):  # whoever adds a file gets its law known by its distribution
    import_module(f"{__name__}.{_module.name}")
globals().update({kind.__name__: kind for kind in Law.known.values()})

''','')
sub('laws/__init__.py','''    kind = Law.known.get(str(facts.get("distribution")))
    if kind is not None:''','''    for module in pkgutil.iter_modules(import_module(__package__).__path__):  # whoever adds a file gets its law known
        import_module(f"{__package__}.{module.name}")
    kind = Law.known.get(str(facts.get("distribution")))
    if kind is not None:''')
sub('mechanisms/__init__.py','''for _module in pkgutil.iter_modules(__path__):  # whoever adds a file gets it known by its name
    import_module(f"{__name__}.{_module.name}")
''','''for _module in pkgutil.iter_modules(import_module(__package__).__path__):  # whoever adds a file gets it known by its name
    import_module(f"{__package__}.{_module.name}")
''')
sub('promises/__init__.py','''for _module in pkgutil.iter_modules(__path__):  # whoever adds a file or a folder gets its promise known by its name
    import_module(f"{__name__}.{_module.name}")
''','''_WEAKER = Weaker.__module__.rpartition(".")[0]
for _module in pkgutil.iter_modules(import_module(_WEAKER).__path__):  # whoever adds a file gets its promise known
    import_module(f"{_WEAKER}.{_module.name}")
''')
