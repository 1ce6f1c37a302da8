"""Merges modules of a package after a plan {old path: new path} and rewrites every import of them, here and in tests.

python mover.py PROJECT plan.json [--check]
"""
from __future__ import annotations
import ast, collections, functools, json, os, re, subprocess, sys
from pathlib import Path

P = Path(sys.argv[1]); PKG = "pandas_dp"; R = P / PKG
plan = json.load(open(sys.argv[2]))
RENAMES = plan.get("renames", {})  # "old/path.py::name" -> new name
DOCS = plan.get("docstrings", {})
MOVES = plan["moves"]
CHECK = "--check" in sys.argv

src = {str(p.relative_to(R)): p.read_text("utf-8") for p in R.rglob("*.py")}
IGNORED = {f: src[f] for f in plan.get("dead", [])}
trees = {f: ast.parse(s) for f, s in src.items()}
N = {f: MOVES.get(f, f) for f in src}
members = collections.defaultdict(list)
for f in src:
    if f not in IGNORED: members[N[f]].append(f)

def dotted(f):  # module's dotted name from the package's top, '' for the top itself
    parts = f[:-3].split("/")
    if parts[-1] == "__init__": parts = parts[:-1]
    return ".".join(parts)
MOD = {dotted(f): f for f in src}
def package_of(f): return f.split("/")[:-1]
def base_of(f, node):
    pk = package_of(f)
    pk = pk[: len(pk) - node.level + 1]
    return ".".join([*pk, *(node.module.split(".") if node.module else [])])

def bindings_top(tree):
    """names bound at the module's top level: defs {name: node}, imports {name: node}"""
    defs = {}
    def take(body):
        for x in body:
            if isinstance(x, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)): defs.setdefault(x.name, x)
            elif isinstance(x, ast.Assign):
                for t in x.targets:
                    for n in ast.walk(t):
                        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store): defs.setdefault(n.id, x)
            elif isinstance(x, (ast.AnnAssign, ast.AugAssign)) and isinstance(x.target, ast.Name): defs.setdefault(x.target.id, x)
            elif isinstance(x, (ast.If, ast.Try, ast.For, ast.With, ast.While)):
                if isinstance(x, ast.For):
                    for n in ast.walk(x.target):
                        if isinstance(n, ast.Name): defs.setdefault(n.id, x)
                for part in ("body", "orelse", "finalbody"): take(getattr(x, part, []))
                for h in getattr(x, "handlers", []): take(h.body)
            elif isinstance(x, ast.TypeAlias if hasattr(ast, "TypeAlias") else ()): defs.setdefault(x.name.id, x)
    take(tree.body)
    return defs
DEFS = {f: bindings_top(t) for f, t in trees.items()}

# --- collisions inside merged files
problems = []
newname = {}  # (file, name) -> new name
def dump(n): return ast.dump(n, include_attributes=False)
dropped = set()  # (file, name): identical to one that stays
for tgt, fs in members.items():
    for f in fs:
        for name in DEFS[f]:
            if f"{f}::{name}" in RENAMES: newname[(f, name)] = RENAMES[f"{f}::{name}"]
    if len(fs) < 2: continue
    seen = {}
    for f in fs:
        for name, node in DEFS[f].items():
            key = f"{f}::{name}"
            if key in RENAMES:
                newname[(f, name)] = RENAMES[key]; continue
            if name == "__all__": continue
            if name in seen:
                g, other = seen[name]
                if dump(node) == dump(other): dropped.add((f, name)); continue
                problems.append(f"{tgt}: {name} is defined in {g} and {f}")
                newname[(f, name)] = ("_" if name.startswith("_") else "") + name.strip("_") + "_of_" + f[:-3].split("/")[-1] if not name.isupper() else f[:-3].split("/")[-1].upper() + "_" + name
            else: seen[name] = (f, node)

def final(f, name): return newname.get((f, name), name)

# --- scope-aware walk
def bound_in(fn):
    """names bound in a function's own scope"""
    out, glob = set(), set()
    a = fn.args
    for x in [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]:
        if x: out.add(x.arg)
    def walk(n):
        for c in ast.iter_child_nodes(n):
            if isinstance(c, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)): out.add(c.name); continue
            if isinstance(c, ast.Lambda): continue
            if isinstance(c, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
                for w in ast.walk(c):
                    if isinstance(w, ast.NamedExpr): out.add(w.target.id)
                continue
            if isinstance(c, ast.Name) and isinstance(c.ctx, (ast.Store, ast.Del)): out.add(c.id)
            if isinstance(c, (ast.Import, ast.ImportFrom)):
                for al in c.names: out.add((al.asname or al.name).split(".")[0])
            if isinstance(c, ast.ExceptHandler) and c.name: out.add(c.name)
            if isinstance(c, (ast.Global, ast.Nonlocal)): glob.update(c.names)
            if isinstance(c, (ast.MatchAs, ast.MatchStar)) and c.name: out.add(c.name)
            if isinstance(c, ast.MatchMapping) and c.rest: out.add(c.rest)
            walk(c)
    if isinstance(fn, ast.Lambda): 
        walk_body = [fn.body]
        for b in walk_body:
            if isinstance(b, ast.NamedExpr): out.add(b.target.id)
            walk(b)
    else:
        for b in fn.body:
            if isinstance(b, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)): out.add(b.name)
            else:
                holder = ast.Module([b], []); walk(holder)
    return out - glob

def globals_used(tree):
    """yields Name nodes that resolve to the module's scope, with the parent attribute if it is one"""
    def visit(n, scopes, cls, parent):
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for d in n.decorator_list: yield from visit(d, scopes, cls, n)
            for d in [*n.args.defaults, *[k for k in n.args.kw_defaults if k]]: yield from visit(d, scopes, cls, n)
            for a in [*n.args.posonlyargs, *n.args.args, *n.args.kwonlyargs, n.args.vararg, n.args.kwarg]:
                if a and a.annotation: yield from visit(a.annotation, scopes, cls, n)
            if n.returns: yield from visit(n.returns, scopes, cls, n)
            inner = [*scopes, bound_in(n)]
            for b in n.body: yield from visit(b, inner, None, n)
            return
        if isinstance(n, ast.Lambda):
            for d in [*n.args.defaults, *[k for k in n.args.kw_defaults if k]]: yield from visit(d, scopes, cls, n)
            yield from visit(n.body, [*scopes, bound_in(n)], None, n); return
        if isinstance(n, ast.ClassDef):
            for d in [*n.decorator_list, *n.bases, *[k.value for k in n.keywords]]: yield from visit(d, scopes, cls, n)
            names = set()
            for b in n.body:
                if isinstance(b, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)): names.add(b.name)
                elif isinstance(b, ast.Assign):
                    for t in b.targets:
                        for w in ast.walk(t):
                            if isinstance(w, ast.Name): names.add(w.id)
                elif isinstance(b, ast.AnnAssign) and isinstance(b.target, ast.Name):
                    names.add(b.target.id)
            # annotations are never evaluated here: a field called as a class does not hide the class in annotations of earlier lines
            for b in n.body: yield from visit(b, scopes, names, n)
            return
        if isinstance(n, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            b = set()
            for g in n.generators:
                for w in ast.walk(g.target):
                    if isinstance(w, ast.Name): b.add(w.id)
            inner = [*scopes, b]
            for i, g in enumerate(n.generators):
                yield from visit(g.iter, scopes if i == 0 else inner, cls if i == 0 else None, n)
                yield from visit(g.target, inner, None, n)
                for c in g.ifs: yield from visit(c, inner, None, n)
            if isinstance(n, ast.DictComp):
                yield from visit(n.key, inner, None, n); yield from visit(n.value, inner, None, n)
            else: yield from visit(n.elt, inner, None, n)
            return
        if isinstance(n, ast.Name):
            if any(n.id in s for s in scopes): return
            if cls is not None and n.id in cls and isinstance(n.ctx, (ast.Store, ast.Del)): return
            yield n, parent, (cls is not None and n.id in cls)
            return
        for c in ast.iter_child_nodes(n): yield from visit(c, scopes, cls, n)
    yield from visit(tree, [], None, None)

class Edits:
    def __init__(self, text):
        self.lines = [l.encode() for l in text.splitlines(keepends=True)]; self.todo = []
    def put(self, l0, c0, l1, c1, new): self.todo.append((l0, c0, l1, c1, new))
    def done(self):
        for l0, c0, l1, c1, new in sorted(set(self.todo), reverse=True):
            a, b = self.lines[l0 - 1][:c0], self.lines[l1 - 1][c1:]
            self.lines[l0 - 1 : l1] = [a + new.encode() + b] + [b""] * (l1 - l0)
        return b"".join(self.lines).decode()

def relative(frm, to_mod):
    """`from <this> import` text, from the new file `frm` to dotted module `to_mod`"""
    here = package_of(frm); there = to_mod.split(".") if to_mod else []
    i = 0
    while i < len(here) and i < len(there) and here[i] == there[i]: i += 1
    if i == len(there) and i == len(here): return "."
    dots = "." * (len(here) - i + 1)
    return dots + ".".join(there[i:])

@functools.cache
def binds(f, name):
    """whether a file binds the name itself, so that it hides a module of that name"""
    if name in DEFS[f]: return True
    return any((a.asname or a.name) == name for x in ast.walk(trees[f]) if isinstance(x, ast.ImportFrom) for a in x.names)
@functools.cache
def definer(f, name, depth=0):
    """(file, name there) of what f knows as name; (file, None) of a module"""
    if name in DEFS[f] or depth > 8: return f, name
    for x in ast.walk(trees[f]):
        if isinstance(x, ast.ImportFrom) and x.level:
            for a in x.names:
                if (a.asname or a.name) == name:
                    b = base_of(f, x); full = f"{b}.{a.name}".lstrip(".")
                    if full in MOD and not (b in MOD and MOD[b] != f and binds(MOD[b], a.name)): return MOD[full], None
                    return definer(MOD[b], a.name, depth + 1)
    if name in EXTRA.get(f, {}): return EXTRA[f][name], name
    return f, name

EXTRA = plan.get("extra", {})
DEAD = set(plan.get("dead", []))

def resolve(f, node, alias):
    """('module', file) | ('name', file, name) | None (outside)"""
    base = base_of(f, node)
    full = f"{base}.{alias.name}".lstrip(".")
    if full in MOD and not (base in MOD and MOD[base] != f and binds(MOD[base], alias.name)): return ("module", MOD[full])
    if base in MOD:
        m, nm = definer(MOD[base], alias.name)
        if nm is None: return ("module", m)
        if m in DEAD: problems.append(f"{f}:{node.lineno}: {alias.name} is defined in a dead package {m}")
        return ("name", m, nm)
    raise SystemExit(f"{f}:{node.lineno}: cannot resolve {base} {alias.name}")

def new_import(f, node, alias):
    """what this alias becomes in the new place: (kind, module text, name, asname) or None if it is here"""
    tgt = N[f]; r = resolve(f, node, alias)
    if r[0] == "module":
        m = r[1]
        if N[m] == tgt: return None
        nm = dotted(N[m]); parent, _, stem = nm.rpartition(".")
        return ("module", relative(tgt, parent), stem, alias.asname or (alias.name if alias.name != stem else None))
    _, m, name = r
    if N[m] == tgt: return None
    return ("name", relative(tgt, dotted(N[m])), final(m, name), alias.asname or (name if final(m, name) != name else None))

@functools.cache
def used_names(f):
    return {n.id for n in ast.walk(trees[f]) if isinstance(n, ast.Name)}
@functools.cache
def tops_of(tgt):
    return {final(g, n) for g in members[tgt] for n in DEFS[g]}

def is_typing_block(x):
    return isinstance(x, ast.If) and isinstance(x.test, ast.Name) and x.test.id == "TYPE_CHECKING" and not x.orelse and all(isinstance(y, (ast.Import, ast.ImportFrom)) for y in x.body)

def text_of(kind_mod_name_as):
    _, mod, name, asname = kind_mod_name_as
    return mod, (name if not asname or asname == name else f"{name} as {asname}")

def rewrite(f):
    """(docstring, imports, typing imports, __all__, body text) of one old file, with names as they are in its new place"""
    tree, text = trees[f], src[f]
    e = Edits(text)
    rename = {}   # module-scope name -> new name
    gone_modules = {}  # local alias of a module that is now this very file
    top_imports, typed, all_names = [], [], []
    drop_lines = set()
    doc = None
    for i, x in enumerate(tree.body):
        if i == 0 and isinstance(x, ast.Expr) and isinstance(x.value, ast.Constant) and isinstance(x.value.value, str):
            doc = ast.get_source_segment(text, x); drop_lines.update(range(x.lineno, x.end_lineno + 1)); continue
        if isinstance(x, (ast.Import, ast.ImportFrom)):
            drop_lines.update(range(x.lineno, x.end_lineno + 1)); top_imports.append(x)
        elif is_typing_block(x):
            drop_lines.update(range(x.lineno, x.end_lineno + 1)); typed += x.body
        elif isinstance(x, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in x.targets) and isinstance(x.value, (ast.List, ast.Tuple)):
            if not f.endswith("__init__.py") or N[f].endswith("__init__.py"): all_names += [k.value for k in x.value.elts]
            drop_lines.update(range(x.lineno, x.end_lineno + 1))
    out, tout = [], []
    packages = {}
    def handle(x, into):
        if isinstance(x, ast.Import) or not x.level:
            into.append(("out", x)); return
        for al in x.names:
            r = resolve(f, x, al); local = al.asname or al.name
            if r[0] == "module" and r[1] in DEAD:
                if "__init__" in f and local not in used_names(f) and not N[f].endswith("__init__.py"): continue
                packages[local] = r[1]; continue
            if f.endswith("__init__.py") and N[f] != f and not N[f].endswith("__init__.py") and local not in used_names(f): continue
            new = new_import(f, x, al)
            if r[0] == "module":
                m = r[1]
                if new is None: gone_modules[local] = m
                else:
                    stem = new[2]
                    if not al.asname and stem != al.name and len(members[N[f]]) >= 1:
                        # take the new stem where it hides nothing of this file's
                        if stem not in taken[N[f]] : rename[local] = stem; new = ("module", new[1], stem, None)
                    modules[local] = m
                    into.append(new)
            elif new is None:
                real = final(r[1], r[2])
                if local != real: rename[local] = real
            else:
                if not al.asname and new[3] == al.name and new[2] not in taken[N[f]]:
                    rename[local] = new[2]; new = (new[0], new[1], new[2], None)
                into.append(new)
    modules = {}
    for x in top_imports: handle(x, out)
    for x in typed: handle(x, tout)
    for name in DEFS[f]:
        if final(f, name) != name: rename[name] = final(f, name)
    # late imports, in place
    for n in ast.walk(tree):
        if isinstance(n, ast.ImportFrom) and n.level and n.lineno not in drop_lines:
            groups = collections.OrderedDict(); fnrename = []
            for al in n.names:
                if resolve(f, n, al)[0] == "module" and resolve(f, n, al)[1] in DEAD: problems.append(f"{f}:{n.lineno}: late import of dead package {al.name}"); continue
                new = new_import(f, n, al)
                if new is None:
                    r = resolve(f, n, al)
                    if r[0] == "module": problems.append(f"{f}:{n.lineno}: late import of a module that is now here: {al.name}")
                    elif (al.asname or al.name) != final(r[1], r[2]): problems.append(f"{f}:{n.lineno}: late import renamed {al.name}")
                    continue
                mod, nm = text_of(new); groups.setdefault(mod, []).append(nm)
            lines = [f"from {m} import {', '.join(v)}" for m, v in groups.items()]
            pad = "\n" + " " * n.col_offset
            e.put(n.lineno, n.col_offset, n.end_lineno, n.end_col_offset, pad.join(lines) if lines else "pass  # MOVER")
    # names
    strs = []
    hidden_at = {}
    for fn in ast.walk(tree):
        if isinstance(fn, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names_here = bound_in(fn)
            for w in ast.walk(fn):
                if isinstance(w, ast.Name): hidden_at.setdefault((f, w.lineno, w.col_offset), set()).update(names_here)
    for n, parent, shadow in globals_used(tree):
        if n.lineno in drop_lines: continue
        if n.id in packages:
            if not isinstance(parent, ast.Attribute): problems.append(f"{f}:{n.lineno}: package {n.id} used as a value"); continue
            m, nm = definer(packages[n.id], parent.attr)
            if nm is None: problems.append(f"{f}:{n.lineno}: module through package {n.id}.{parent.attr}"); continue
            local = final(m, nm)
            if N[m] != N[f]:
                if local in tops_of(N[f]) or local in hidden_at.get((f, n.lineno, n.col_offset), ()):
                    was, local = local, "its_" + local
                    problems.append(f"{f}:{n.lineno}: {was} of package {n.id} is taken here; {local}")
                    out.append(("name", relative(N[f], dotted(N[m])), was, local))
                else: out.append(("name", relative(N[f], dotted(N[m])), local, None))
            e.put(n.lineno, n.col_offset, parent.end_lineno, parent.end_col_offset, local)
        elif n.id in gone_modules and isinstance(parent, ast.Attribute) and parent.value is n:
            e.put(n.lineno, n.col_offset, parent.end_lineno, parent.end_col_offset, final(gone_modules[n.id], parent.attr))
            if parent.attr not in DEFS[gone_modules[n.id]]: problems.append(f"{f}:{n.lineno}: {n.id}.{parent.attr} is not defined there")
        elif n.id in gone_modules: problems.append(f"{f}:{n.lineno}: module {n.id} used as a value")
        else:
            new = rename.get(n.id)
            if n.id in modules and isinstance(parent, ast.Attribute) and parent.value is n and final(modules[n.id], parent.attr) != parent.attr:
                e.put(n.lineno, n.col_offset, parent.end_lineno, parent.end_col_offset, (new or n.id) + "." + final(modules[n.id], parent.attr))
            elif new:
                if shadow: problems.append(f"{f}:{n.lineno}: {n.id} also in class")
                e.put(n.lineno, n.col_offset, n.end_lineno, n.end_col_offset, new)
    for x in ast.walk(tree):
        if isinstance(x, ast.Global):
            for nm in x.names:
                if nm in rename: problems.append(f"{f}:{x.lineno}: global {nm}")
    for x in tree.body:
        if isinstance(x, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)) and x.name in rename:
            line = e.lines[x.lineno - 1].decode(); kw = re.match(r"\s*(async def|def|class)\s+", line)
            e.put(x.lineno, len(kw.group().encode()), x.lineno, len(kw.group().encode()) + len(x.name.encode()), rename[x.name])
        if isinstance(x, (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)):
            nm = x.name if hasattr(x, "name") else (x.targets[0].id if isinstance(x, ast.Assign) and isinstance(x.targets[0], ast.Name) else getattr(getattr(x, "target", None), "id", None))
            if (f, nm) in dropped:
                first = min([x.lineno, *[d.lineno for d in getattr(x, "decorator_list", [])]])
                drop_lines.update(range(first, x.end_lineno + 1))
    # quoted names of types: report
    e_text = None
    edits_kept = [t for t in e.todo if t[0] not in drop_lines]
    e.todo = edits_kept
    # mark dropped lines
    body = Edits(text); body.todo = e.todo
    new_text = body
    lines = new_text.lines
    for l0, c0, l1, c1, new in sorted(set(new_text.todo), reverse=True):
        a, b = lines[l0 - 1][:c0], lines[l1 - 1][c1:]
        lines[l0 - 1] = a + new.encode() + b
        for k in range(l0, l1): lines[k] = b""
    body_text = b"".join(l for i, l in enumerate(lines, 1) if i not in drop_lines).decode().strip("\n")
    return doc, out, tout, all_names, body_text

# names taken at the top of each new file (defs and imports as of today)
taken = collections.defaultdict(set)
imported = collections.defaultdict(dict)
for f in src:
    taken[N[f]].update(final(f, n) for n in DEFS[f])
    for x in ast.walk(trees[f]):
        if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store): taken[N[f]].add(x.id)
        if isinstance(x, ast.arg): taken[N[f]].add(x.arg)
    for x in ast.walk(trees[f]):
        if isinstance(x, (ast.Import, ast.ImportFrom)):
            for al in x.names:
                taken[N[f]].add((al.asname or al.name).split(".")[0])

def order(fs):
    """members with what they import from each other first"""
    need = {f: set() for f in fs}
    for f in fs:
        for x in trees[f].body:
            if isinstance(x, ast.ImportFrom) and x.level:
                for al in x.names:
                    m = resolve(f, x, al)[1]
                    if m in need and m != f: need[f].add(m)
    out = []
    def add(f, path=()):
        if f in out: return
        if f in path: problems.append(f"circle among {path}"); return
        for m in sorted(need[f], key=fs.index): add(m, (*path, f))
        out.append(f)
    for f in fs: add(f)
    return out

def header(imports, typing_imports, all_names, tgt):
    outs, ins, bound = [], collections.OrderedDict(), {}
    def put(i, where):
        if i[0] == "out":
            t = ast.unparse(i[1])
            if t not in where: where.append(t)
            for al in i[1].names: note((al.asname or al.name).split(".")[0], t)
        else:
            mod, nm = text_of(i)
            t = f"from {mod} import {nm}"
            if t not in where: where.append(t)
            note(nm.split(" as ")[-1], t)
    def note(name, t):
        key = t
        if isinstance(bound.get(name), str) and bound[name].split(" import ")[0] != t.split(" import ")[0]:
            problems.append(f"{tgt}: {name} is imported twice: {bound[name]} / {t}")
        bound[name] = t
    run, typ = [], []
    for i in imports: put(i, run)
    for i in typing_imports: put(i, typ)
    typ = [t for t in typ if t not in run]
    return run, typ, bound

files_new = {}
for tgt, fs in sorted(members.items()):
    if len(fs) == 1 and fs[0] == tgt and not any((fs[0], n) in newname for n in DEFS[fs[0]]):
        # still rewrite imports: same procedure keeps order of header; done by editing in place
        f = fs[0]
        tree, text = trees[f], src[f]
        e = Edits(text); rename = {}; modules = {}
        changed = False
        for n in ast.walk(tree):
            if isinstance(n, ast.ImportFrom) and n.level:
                news = []; same = True
                for al in n.names:
                    r = resolve(f, n, al); new = new_import(f, n, al)
                    if r[0] == "module":
                        modules[al.asname or al.name] = r[1]
                        if not al.asname and new[2] != al.name and new[2] not in taken[tgt]:
                            rename[al.name] = new[2]; new = ("module", new[1], new[2], None)
                    news.append(text_of(new))
                old = [("." * n.level + (n.module or ""), al.name if not al.asname else f"{al.name} as {al.asname}") for al in n.names]
                # a package's own name: '.'-spelling may differ only in form
                if [(m, a) for m, a in news] != old:
                    g = collections.OrderedDict()
                    for m, a in news: g.setdefault(m, []).append(a)
                    pad = "\n" + " " * n.col_offset
                    e.put(n.lineno, n.col_offset, n.end_lineno, n.end_col_offset, pad.join(f"from {m} import {', '.join(a)}" for m, a in g.items()))
        for n, parent, shadow in globals_used(tree):
            if n.id in modules and isinstance(parent, ast.Attribute) and parent.value is n and final(modules[n.id], parent.attr) != parent.attr:
                e.put(n.lineno, n.col_offset, parent.end_lineno, parent.end_col_offset, rename.get(n.id, n.id) + "." + final(modules[n.id], parent.attr))
            elif n.id in rename: e.put(n.lineno, n.col_offset, n.end_lineno, n.end_col_offset, rename[n.id])
        files_new[tgt] = e.done() if e.todo else text
        continue
    imps, typs, alls, bodies, doc = [], [], [], [], None
    primary = next((f for f in fs if f == tgt), fs[0])
    for f in order(fs):
        d, o, t, a, b = rewrite(f)
        imps += o; typs += t; alls += [final(f, x) for x in a]
        if b: bodies.append(b)
        if f == primary: doc = d
    run, typ, bound = header(imps, typs, alls, tgt)
    tdefs = {final(f, n): f for f in fs for n in DEFS[f]}
    for name, t in bound.items():
        if name in tdefs and name != "_": problems.append(f"{tgt}: {name} is imported ({t}) and defined in {tdefs[name]}")
    doc = DOCS.get(tgt) and f'"""{DOCS[tgt]}"""' or doc
    head = "\n".join([x for x in run if "__future__" in x] + [x for x in run if "__future__" not in x])
    if typ:
        if "TYPE_CHECKING" not in bound: head += "\nfrom typing import TYPE_CHECKING"
        head += "\n\nif TYPE_CHECKING:\n" + "\n".join("    " + x for x in typ)
    if alls: head += "\n\n__all__ = [\n" + "".join(f"    {x!r},\n" for x in sorted(set(alls))) + "]"
    files_new[tgt] = f"{doc}\n\n{head}\n\n\n" + "\n\n\n".join(bodies) + "\n"
    # names that are builtins in one member and defined in another
    for f in fs:
        mine = set(DEFS[f]); imp = {(al.asname or al.name).split(".")[0] for x in ast.walk(trees[f]) if isinstance(x, (ast.Import, ast.ImportFrom)) for al in x.names}
        for n, parent, _ in globals_used(trees[f]):
            if n.id not in mine and n.id not in imp and n.id in tdefs: problems.append(f"{tgt}: {f} uses {n.id} (builtin?) and {tdefs[n.id]} defines it")
            
print(len(src), "->", len(files_new), "files;", len(set(problems)), "problems")
for p in sorted(set(problems)): print("  ", p)
print("dropped as identical:", sorted(dropped))
if CHECK: sys.exit()

for f in src: (R / f).unlink()
import shutil
for d in sorted((p for p in R.rglob("*") if p.is_dir()), key=lambda p: -len(p.parts)):
    if d.name == "__pycache__": shutil.rmtree(d)
    elif not any(d.iterdir()): d.rmdir()
for f, t in files_new.items():
    (R / f).parent.mkdir(parents=True, exist_ok=True); (R / f).write_text(t, "utf-8")

FOLDER_DOCS = plan.get("folders", {})
for d in [p for p in R.rglob("*") if p.is_dir()]:
    if not (d / "__init__.py").exists() and any(d.rglob("*.py")):
        key = str(d.relative_to(R)); doc = FOLDER_DOCS.get(key)
        if not doc: print("no sentence for folder", key)
        (d / "__init__.py").write_text(f'"""{doc or key}"""\n')
# --- everything outside the package
OLD = {f"{PKG}." + dotted(f): f for f in src}
changed = {f"{PKG}." + dotted(f): f"{PKG}." + dotted(N[f]) for f in src if N[f] != f and f not in IGNORED}
DOTTED = re.compile(r"(?<![\w.])(?:" + "|".join(re.escape(o) for o in sorted(changed, key=len, reverse=True)) + r")(?!\w)")
PATHS = re.compile(r"(?<![\w/-])(" + PKG + "/)?(" + "|".join(re.escape(f) for f in sorted((f for f in src if N[f] != f and "/" in f and f not in IGNORED), key=len, reverse=True)) + r")(?!\w)")
SHORT = re.compile(r"(?<=[\"'])\.(" + "|".join(re.escape(o[len(PKG) + 1 :]) for o in sorted(changed, key=len, reverse=True)) + r")(?=[\"'])")
IMPORT_LINE = re.compile(r"^(?P<pre>[ \t]*(?:>>> |\.\.\. )?)from pandas_dp\.(?P<mod>[\w.]+) import (?P<names>[\w, ]+?)(?P<rest>\s*#.*)?$", re.M)
def text_imports(text):
    def one(m):
        mod = f"{PKG}.{m['mod']}"
        if mod not in OLD or OLD[mod] not in src: return m.group()
        g = collections.OrderedDict()
        for part in m["names"].split(","):
            name, _, asname = part.strip().partition(" as ")
            if f"{mod}.{name}" in OLD and not binds(OLD[mod], name):
                t = changed.get(f"{mod}.{name}", f"{mod}.{name}"); where, _, nn = t.rpartition(".")
                g.setdefault(where, []).append(nn if nn == name and not asname else f"{nn} as {asname or name}")
                continue
            d, nm = definer(OLD[mod], name)
            if nm is None or d in DEAD: print("TEXT", m.group()); return m.group()
            nn = final(d, nm)
            g.setdefault(f"{PKG}.{dotted(N[d])}".rstrip("."), []).append(nn + (f" as {asname}" if asname else ""))
        return "\n".join(f"{m['pre']}from {w} import {', '.join(v)}{m['rest'] or ''}" for w, v in g.items())
    return IMPORT_LINE.sub(one, text)
def outside(path):
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        tree = ast.parse(text); e = Edits(text); modules, rename, packs = {}, {}, {}
        bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {a.arg for a in ast.walk(tree) if isinstance(a, ast.arg)}
        for n in ast.walk(tree):
            if isinstance(n, ast.ImportFrom) and not n.level and n.module and n.module.split(".")[0] == PKG:
                g = collections.OrderedDict(); old = [(n.module, al.name, al.asname) for al in n.names]; new = []
                for al in n.names:
                    full = f"{n.module}.{al.name}"
                    if full in OLD and n.module in OLD and n.module != PKG and binds(OLD[n.module], al.name): full = ""
                    if full in OLD and OLD[full] in DEAD:
                        packs[al.asname or al.name] = OLD[full]; continue
                    if full in OLD:
                        nm = changed.get(full, full); parent, _, stem = nm.rpartition(".")
                        local = al.asname or al.name; modules[local] = OLD[full]
                        asname = al.asname
                        if stem != al.name and not al.asname:
                            if stem in bound: asname = al.name
                            else: rename[al.name] = stem
                        new.append((parent, stem, asname))
                    elif n.module in OLD and n.module != PKG:
                        m, nm = definer(OLD[n.module], al.name)
                        if nm is None:
                            full2 = f"{PKG}.{dotted(m)}"; tgt2 = changed.get(full2, full2); parent2, _, stem2 = tgt2.rpartition(".")
                            modules[al.asname or al.name] = m
                            new.append((parent2, stem2, al.asname or (al.name if stem2 != al.name else None)))
                            continue
                        nn = final(m, nm)
                        if m in DEAD: print("DEAD name", path, n.lineno, n.module, al.name)
                        new.append((f"{PKG}.{dotted(N[m])}".rstrip("."), nn, al.asname or (al.name if nn != al.name else None)))
                    else: new.append((n.module, al.name, al.asname))
                if new != old:
                    for m, a, s in new: g.setdefault(m, []).append(a if not s or s == a else f"{a} as {s}")
                    for local, pk in packs.items():
                        if not any((al.asname or al.name) == local for al in n.names): continue
                        need = sorted({p.attr for q, p, _ in globals_used(tree) if q.id == local and isinstance(p, ast.Attribute)})
                        for a in need:
                            m, nm = definer(pk, a)
                            if nm is None: print("MODULE through package", path, local, a); continue
                            g.setdefault(f"{PKG}.{dotted(N[m])}", []).append(final(m, nm))
                            if a in bound: print("TAKEN", path, a)
                    pad = "\n" + " " * n.col_offset
                    e.put(n.lineno, n.col_offset, n.end_lineno, n.end_col_offset, pad.join(f"from {m} import {', '.join(a)}" for m, a in g.items()))
        for n, parent, shadow in globals_used(tree):
            if n.id in packs and isinstance(parent, ast.Attribute):
                m, nm = definer(packs[n.id], parent.attr)
                if nm: e.put(n.lineno, n.col_offset, parent.end_lineno, parent.end_col_offset, final(m, nm))
                continue
            if n.id in modules and isinstance(parent, ast.Attribute) and parent.value is n and final(modules[n.id], parent.attr) != parent.attr:
                e.put(n.lineno, n.col_offset, parent.end_lineno, parent.end_col_offset, rename.get(n.id, n.id) + "." + final(modules[n.id], parent.attr))
            elif n.id in rename: e.put(n.lineno, n.col_offset, n.end_lineno, n.end_col_offset, rename[n.id])
        # setattr(module, "name", ...) of renamed names
        new_text = e.done() if e.todo else text
    else: new_text = text
    new_text = text_imports(new_text)
    new_text = DOTTED.sub(lambda m: changed[m.group()], new_text)
    new_text = PATHS.sub(lambda m: (m.group(1) or "") + N[m.group(2)], new_text)
    if new_text != text: path.write_text(new_text, "utf-8")
    return new_text != text
count = 0
for d in ("tests", "docs", "examples", "benchmarks"):
    for p in (P / d).rglob("*"):
        if p.suffix in (".py", ".md", ".toml", ".ipynb", ".txt") and p.is_file() and "_build" not in p.parts and p.name != "refusals.txt": count += outside(p)
for p in (P / "README.md", P / "CONTRIBUTING.md", P / "Makefile", P / "pyproject.toml"): count += outside(p)
# dotted words inside the package (LATE = ".accessor.released" and the like)
for p in R.rglob("*.py"):
    t = p.read_text("utf-8"); o = t
    t = text_imports(t)
    t = DOTTED.sub(lambda m: changed[m.group()], t)
    t = SHORT.sub(lambda m: "." + changed[PKG + "." + m.group(1)][len(PKG) + 1 :], t)
    if t != o: p.write_text(t, "utf-8")
print(count, "files outside rewritten")
