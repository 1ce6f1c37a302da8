import ast,re,subprocess,sys
from pathlib import Path
P=Path(sys.argv[1]); R=P/'pandas_dp'
MAP={}
for line in sys.stdin:
    if line.strip():
        a,b=line.split(); MAP[a]=b
def mod(f): return f[:-3].replace('/','.')
M={mod(a):mod(b) for a,b in MAP.items()}
files={str(p.relative_to(R)):p.read_text() for p in R.rglob('*.py')}
def pkg_of(f): return f.split('/')[:-1]
def rel(frm,target):
    a=pkg_of(frm); b=target.split('.') if target else []
    i=0
    while i<len(a) and i<len(b) and a[i]==b[i]: i+=1
    return '.'*(len(a)-i+1)+'.'.join(b[i:])
out={}
for f,t in files.items():
    new=MAP.get(f,f); tree=ast.parse(t); lines=t.split('\n'); edits=[]
    for x in ast.walk(tree):
        if isinstance(x,ast.ImportFrom) and x.level:
            base=pkg_of(f); base=base[:len(base)-x.level+1]
            full='.'.join([*base,*(x.module.split('.') if x.module else [])])
            mods=[a for a in x.names if f"{full}.{a.name}".lstrip('.') in M]
            if mods:
                assert len(mods)==len(x.names),(f,x.lineno)
                rows=[]
                for a in mods:
                    tgt=M[f"{full}.{a.name}".lstrip('.')]; h,n=tgt.rsplit('.',1)
                    rows.append(' '*x.col_offset+f"from {rel(new,h)} import {n} as {a.asname or a.name}")
                edits.append((x.lineno,x.end_lineno,'\n'.join(rows))); continue
            tgt=M.get(full,full)
            if tgt!=full or new!=f:
                head=re.compile(r'from\s+[.\w]+\s+import')
                seg='\n'.join(lines[x.lineno-1:x.end_lineno])
                edits.append((x.lineno,x.end_lineno,head.sub(f"from {rel(new,tgt)} import",seg,1)))
    for a,b,s in sorted(edits,reverse=True): lines[a-1:b]=[s]
    out[f]='\n'.join(lines)
for f,t in out.items():
    if t!=files[f]: (R/f).write_text(t)
for a,b in MAP.items():
    (R/b).parent.mkdir(parents=True,exist_ok=True)
    i=(R/b).parent/'__init__.py'
    if not i.exists(): i.write_text('""""""\n'); print('write sentence in',i)
    subprocess.run(['git','-C',str(P),'mv',f'pandas_dp/{a}',f'pandas_dp/{b}'],check=True)
for p in [*(P/'tests').rglob('*.py'),*(P/'benchmarks').rglob('*.py'),*(P/'examples').rglob('*'),*(P/'docs').rglob('*'),*R.rglob('*.py'),P/'CONTRIBUTING.md',P/'Makefile',P/'pyproject.toml']:
    if not p.is_file() or p.suffix not in ('.py','.md','.toml','.ipynb','') : continue
    try: t=o=p.read_text()
    except UnicodeDecodeError: continue
    for a,b in MAP.items():
        t=re.sub(r'pandas_dp\.'+re.escape(mod(a))+r'\b','pandas_dp.'+mod(b),t)
        h,n=mod(a).rsplit('.',1); h2,n2=mod(b).rsplit('.',1)
        t=re.sub(rf'from pandas_dp\.{re.escape(h)} import {n}( as (\w+))?$',lambda m:f"from pandas_dp.{h2} import {n2} as {m.group(2) or n}",t,flags=re.M)
        t=re.sub(rf'(?<![\w/])(pandas_dp/)?{re.escape(a)}',lambda m:(m.group(1) or '')+b,t)
    if t!=o: p.write_text(t)
