"""The whole move: folder per subject (moves.txt), role by room. Writes the plan."""
import ast,collections,json,os,sys
HERE=os.path.dirname(os.path.abspath(__file__))
from pathlib import Path
P=Path(sys.argv[1]); R=P/'pandas_dp'; CAP=430
src={str(p.relative_to(R)):p.read_text() for p in R.rglob('*.py')}
T={}
for line in open(os.environ['MOVES']):
    if line.startswith('#') or '<-' not in line: continue
    tgt=line.split()[0]
    for f in line.split('<-')[1].split(): T[f]=tgt
exec(open(HERE+'/overrides.py').read())
def old(f): return f.replace('backends/clusters/','backends/collections/').replace('backends/dask/','backends/collections/')
def dotted(f):
    p=f[:-3].split('/'); p=p[:-1] if p[-1]=='__init__' else p
    return '.'.join(p)
MOD={dotted(f):f for f in src}
trees={f:ast.parse(s) for f,s in src.items()}
def size_of(f):
    t=trees[f]; n=len(src[f].splitlines())
    return n-sum(x.end_lineno-x.lineno+1 for x in t.body if isinstance(x,(ast.Import,ast.ImportFrom)) or (isinstance(x,ast.Assign) and getattr(x.targets[0],'id','')=='__all__'))
L={f:size_of(f) for f in src}
def base_of(f,x):
    pk=f.split('/')[:-1]; pk=pk[:len(pk)-x.level+1]
    return '.'.join([*pk,*(x.module.split('.') if x.module else [])])
def tops(t):
    d=set()
    for x in ast.walk(t):
        if isinstance(x,(ast.FunctionDef,ast.ClassDef)): d.add(x.name)
    for x in t.body:
        if isinstance(x,ast.Assign):
            for y in x.targets:
                for n in ast.walk(y):
                    if isinstance(n,ast.Name): d.add(n.id)
        if isinstance(x,ast.AnnAssign) and isinstance(x.target,ast.Name): d.add(x.target.id)
    return d
TOPS={f:tops(t) for f,t in trees.items()}
def binds(f,name):
    return name in TOPS[f] or any((a.asname or a.name)==name for x in ast.walk(trees[f]) if isinstance(x,ast.ImportFrom) for a in x.names)
def definer(f,name,depth=0):
    """the file that defines what f knows as name"""
    if name in TOPS[f] or depth>8: return f
    for x in ast.walk(trees[f]):
        if isinstance(x,ast.ImportFrom) and x.level:
            for a in x.names:
                if (a.asname or a.name)==name:
                    b=base_of(f,x); full=f'{b}.{a.name}'.lstrip('.')
                    if full in MOD and not (b in MOD and MOD[b]!=f and binds(MOD[b],a.name)): return MOD[full]
                    return definer(MOD[b],a.name,depth+1)
    return f
FOR_TYPES={('protected.py','accessor/__init__.py'),('release/release.py','accessor/released.py'),('session/scanned.py','accessor/__init__.py'),('session/scanned_column.py','accessor/__init__.py')}
def used_in_body(f):
    return {n.id for n in ast.walk(trees[f]) if isinstance(n,ast.Name)}
edges=collections.defaultdict(set)
for f in src:
    init=f.endswith('__init__.py') and f not in PUBLIC
    used=used_in_body(f) if init else None
    for x in ast.walk(trees[f]):
        if isinstance(x,ast.ImportFrom) and x.level:
            b=base_of(f,x)
            for a in x.names:
                if init and (a.asname or a.name) not in used: continue
                full=f'{b}.{a.name}'.lstrip('.')
                m=MOD[full] if full in MOD and not (b in MOD and MOD[b]!=f and binds(MOD[b],a.name)) else definer(MOD[b],a.name)
                if m!=f and (f,m) not in FOR_TYPES and (f,MOD.get(full) or MOD[b]) not in FOR_TYPES: edges[f].add(m)
def role(f):
    g=old(f)
    if g in ROLE: return ROLE[g]
    return {'accessor':'ask','tally':'measure','statistics':'statistic','backends':'fold','evidence':'evidence','equations':'solve','conclusions':'conclude','plots':'picture'}.get(g.split('/')[0])
def cell(f):
    """(folder, what distinguishes within it) of a file"""
    g=old(f)
    if g in PLACE: return PLACE[g]
    t=T.get(g)
    if t is None: return None
    folder,name=t.rsplit('/',1) if '/' in t else ('',t)
    folder=FOLDER.get(folder,folder)
    if folder=='' or folder.startswith(WHOLE): return (folder,name[:-3])
    r=role(f)
    return (folder,r or name[:-3])
cells={f:cell(f) for f in src}
print('no place:',[f for f in src if cells[f] is None])
of={f:f for f in src}; mem={f:[f] for f in src}
G={f:set(edges[f]) for f in src}; B=collections.defaultdict(set)
for f in G:
    for m in G[f]: B[m].add(f)
def path_through(a,b):
    seen=set(); todo=[x for x in G[a] if x!=b]
    while todo:
        x=todo.pop()
        if x==b: return True
        if x in seen: continue
        seen.add(x); todo+=G[x]
    return False
def size(a): return sum(L[f] for f in mem[a])
def may(a,b): return size(a)+size(b)<=CAP and not path_through(a,b) and not path_through(b,a)
def merge(a,b):
    mem[a]+=mem.pop(b)
    for f in mem[a]: of[f]=a
    for x in G.pop(b):
        B[x].discard(b)
        if x!=a: G[a].add(x); B[x].add(a)
    for x in B.pop(b,()):
        G[x].discard(b)
        if x!=a: G[x].add(a); B[a].add(x)
    G[a].discard(a); G[a].discard(b); B[a].discard(a); B[a].discard(b)
def dead(f):
    """an __init__ that only hands names on"""
    return f.endswith('__init__.py') and f not in PUBLIC and not [x for x in trees[f].body if not isinstance(x,(ast.Import,ast.ImportFrom)) and not (isinstance(x,ast.Expr) and isinstance(x.value,ast.Constant)) and not (isinstance(x,ast.Assign) and getattr(x.targets[0],'id','')=='__all__')]
for f in src:
    if dead(f): mem.pop(f); G.pop(f,None); B.pop(f,None)
for f in G:
    bad=[m for m in G[f] if m not in mem]
    if bad: print("uses a dead package:",f,bad); G[f]-=set(bad)
def rounds(label,weigh):
    n=0
    bycell=collections.defaultdict(list)
    for a in mem:
        if a not in PUBLIC: bycell[cells[a]].append(a)
    for c,hs in bycell.items():
        while True:
            best=None
            for i,a in enumerate(hs):
                for b in hs[i+1:]:
                    w=weigh(a,b)
                    if w is not None and may(a,b):
                        k=(w,size(a)+size(b))
                        if best is None or k<best[0]: best=(k,a,b)
            if best is None: break
            _,a,b=best
            if size(a)<size(b): a,b=b,a
            merge(a,b); hs.remove(b); n+=1
    print(label,n,'->',len(mem))
rounds('one uses the other',lambda a,b: (0 if B[b]=={a} or B[a]=={b} else 1) if (b in G[a] or a in G[b]) else None)
def common(a,b):
    return len(B[a]&B[b])
rounds('small ones together',lambda a,b: (-common(a,b),) if T.get(old(a))==T.get(old(b)) or min(size(a),size(b))<120 else None)
# names
moves={}
groups=collections.defaultdict(list)
for a in mem: groups[cells[a]].append(a)
taken=set()
for (folder,what),heads in sorted(groups.items(),key=str):
    for a in sorted(heads,key=lambda a:-size(a)):
        if a in PUBLIC: tgt={'backends/server.py':'tools/server.py','testing/__init__.py':'audit/__init__.py'}.get(a,a)
        else:
            stem=what
            if len(heads)>1:
                big=max(mem[a],key=lambda f:L[f]); topic=NAME.get(old(big),big.rsplit('/',1)[-1][:-3])
                if topic=='__init__': topic=big.split('/')[-2]
                last=folder.rsplit('/',1)[-1]
                if folder.startswith(WHOLE) or folder=='': stem=topic
                elif '_' in what: stem=what if a is max(heads,key=lambda h:size(h)) else f"{what.split('_')[0]}_{topic}"
                else: stem=what if topic in (what,last) else f'{what}_{topic}'
            tgt=f'{folder}/{stem}.py'.lstrip('/')
            while tgt in taken: print('name taken',tgt,mem[a]); tgt=tgt[:-3]+'_more.py'
        taken.add(tgt)
        for f in mem[a]: moves[f]=tgt
n=set(moves.values())
print(len(src),'->',len(n),'; lines',sum(L[f] for f in moves),'; folders',collections.Counter(x.rsplit('/',1)[0] if '/' in x else '' for x in n).most_common(60))
json.dump({'moves':moves,'dead':[f for f in src if f not in moves]},open(sys.argv[2],'w'),indent=1)
inv=collections.defaultdict(list)
for f,t in moves.items(): inv[t].append(f)
with open(HERE+'/plan3.txt','w') as o:
    for t in sorted(inv): o.write(f"{t:45} {sum(L[f] for f in inv[t]):4} <- {' '.join(sorted(inv[t]))}\n")
exec(open(HERE+'/renames.py').read())
d=json.load(open(sys.argv[2])); d['renames']=RENAMES; d['folders']=FOLDERS; d['docstrings']={}; json.dump(d,open(sys.argv[2],'w'),indent=1)
