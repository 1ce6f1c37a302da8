import io,re,sys,tokenize,collections
from pathlib import Path
P=Path(sys.argv[1]); DO=len(sys.argv)>2
WORDS={'tally':'measurement','tallies':'measurements','tallied':'measured','reach':'sensitivity','reaches':'sensitivities','corridor':'run'}
def part(m):
    w=m.group(0); new=WORDS.get(w.lower())
    if new is None: return w
    return new.upper() if w.isupper() and len(w)>1 else new.capitalize() if w[0].isupper() else new
SPLIT=re.compile(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+')
def renamed(name): return SPLIT.sub(part,name)
files=[p for d in ('pandas_dp','tests','benchmarks','examples') for p in (P/d).rglob('*.py')]
seen=collections.Counter(); names=set()
for p in files:
    for t in tokenize.generate_tokens(io.StringIO(p.read_text()).readline):
        if t.type==tokenize.NAME:
            names.add(t.string)
            if renamed(t.string)!=t.string: seen[t.string]+=1
if not DO:
    for n,c in seen.most_common(): print(c,n,'->',renamed(n),'COLLIDES' if renamed(n) in names else '')
    sys.exit()
EXACT={'tally':'measurement','reach':'sensitivity','tallies':'measurements','Tally':'Measurement','TALLIES':'MEASUREMENTS','reaches':'sensitivities'}
NOUN=re.compile(r"(?i:\b((?:its|another|weighted|squared|smallest|greatest|farthest|state|states|stated|so|the|a|an|their|this|whose|own|same|of|each|no|joint|exact|local|global|all|with|by|her|his|one|and|any|every|largest|private|individual|stated|true|total|whole|`)\s+))reach(?=[\s.,;:)²/\-—–·'’]|$)(?!\s+(?:the|a|it|them|into|from|down|her|him|nothing|rows|any|out)\b)")
TICK=re.compile(r"`reach`")
def words(s):
    s=re.sub(r'\btallies\b','measurements',s); s=re.sub(r'\btally\b','measurement',s); s=re.sub(r'\bTally\b','Measurement',s); s=re.sub(r'\bTallies\b','Measurements',s); s=re.sub(r'\btally\'s\b',"measurement's",s)
    s=re.sub(r'(?i)\breach \(sensitivity\)',lambda m:'Sensitivity' if m.group(0)[0]=='R' else 'sensitivity',s)
    s=re.sub(r'·reach\b','·sensitivity',s); s=re.sub(r'\breach([²/=])',r'sensitivity\1',s)
    if WORDS['reach']=='limit': return TICK.sub('`limit`',s)
    s=NOUN.sub(lambda m:m.group(1)+'sensitivity',s); s=TICK.sub('`sensitivity`',s)
    s=re.sub(r'(?m)^(\W*)Reach(?= and| of|,|:)',r'\1Sensitivity',s)
    s=re.sub(r'\ba measurement\b','a measurement',s)
    return s
RELEASED=re.compile(r'/(evidence|solve|conclude)[^/]*\.py$|/conclude/|/core/evidence/')
SENS=dict(WORDS)
for p in files:
    src=p.read_text()
    if 'examples' in p.parts: continue
    WORDS.update(SENS)
    if RELEASED.search(str(p)) and 'pandas_dp' in p.parts:
        WORDS.update(reach='limit',reaches='limits')
        if re.search(r'\breach(es)?\b',src) and re.search(r'\blimits?\b',src): print('LIMIT in',p)
    toks=list(tokenize.generate_tokens(io.StringIO(src).readline)); lines=src.split('\n'); edits=[]
    for t in toks:
        new=None
        if t.type==tokenize.NAME and not t.string.startswith('test_'): new=renamed(t.string)
        elif t.type==tokenize.COMMENT: new=words(t.string)
        elif t.type==tokenize.STRING:
            body=t.string
            if body.startswith(('"""','r"""')): new=words(re.sub(r'\b(tally|reach|tallies|reaches|Tally)_(?=\w)',lambda m:EXACT[m.group(1)]+'_',body)); new=re.sub(r'\.reach\(','.'+WORDS['reach']+'(',new); new=re.sub(r'\.tallies\(','.measurements(',new); new=re.sub(r'\breach\(',WORDS['reach']+'(',new)
            elif body[0] in 'fF': new=re.sub(r'\{[^{}]*\}',lambda m:re.sub(r'\b\w+\b',lambda w:renamed(w.group(0)),m.group(0)) if '"' not in m.group(0) else m.group(0),body)
            elif re.fullmatch(r'["\']\w+["\']',body) and body[1:-1] in names and not body[1:-1].startswith('test_'): new=body[0]+renamed(body[1:-1])+body[0]
        if new is not None and new!=t.string: edits.append((t.start,t.end,new))
    if not edits: continue
    offs=[0]
    for l in src.splitlines(keepends=True): offs.append(offs[-1]+len(l))
    # positions in tokenize are by characters
    for (a,b,new) in sorted(edits,reverse=True):
        i=offs[a[0]-1]+a[1]; j=offs[b[0]-1]+b[1]; src=src[:i]+new+src[j:]
    p.write_text(src)
for p in [*(P/'docs').glob('*.md'),*(P/'docs/proofs').glob('*.md'),*(P/'docs/decisions').glob('*.md'),P/'CONTRIBUTING.md',P/'README.md']:
    t=p.read_text(); parts=re.split(r'(```.*?```)',t,flags=re.S)
    if True: t=t.replace('reach.md','sensitivity.md'); parts=re.split(r'(```.*?```)',t,flags=re.S)
    n=''.join(x if x.startswith('```python') else words(x) for x in parts)
    if n!=t: p.write_text(n)

import subprocess
subprocess.run(['git','-C',str(P),'mv','docs/proofs/reach.md','docs/proofs/sensitivity.md'],check=True)
subprocess.run(['git','-C',str(P),'mv','pandas_dp/audit/reach.py','pandas_dp/audit/sensitivity.py'],check=True)
for p in [*files,*(P/'docs').rglob('*.md'),P/'CONTRIBUTING.md',P/'README.md']:
    if not p.exists(): p=P/'pandas_dp/audit/sensitivity.py'
    t=p.read_text(); n=t.replace('proofs/reach','proofs/sensitivity').replace('audit.reach','audit.sensitivity').replace('audit/reach','audit/sensitivity').replace('from .reach import','from .sensitivity import')
    n=re.sub(r'\(reach\.md','(sensitivity.md',n)
    if n!=t: p.write_text(n)
def sub(f,*ab):
    p=P/f; t=p.read_text()
    for a,b in ab:
        if a not in t: print('WORDS: not found',f,a)
        t=t.replace(a,b)
    p.write_text(t)
sub('pandas_dp/audit/sensitivity.py',('the reach is too','the sensitivity is too'))
sub('pandas_dp/core/noise/choice.py','' and ('','') or (')/reach, as the log-ratio of such a choice has a range of 2·rate·sensitivity."""',')/sensitivity, as the\n        log-ratio of such a choice has a range of 2·rate·sensitivity."""'))
sub('pandas_dp/numeric/bootstrap/accounting.py',('\n    reach\n','\n    sensitivity\n'),('replicates and reach are','replicates and sensitivity are'))
sub('pandas_dp/numeric/bootstrap/measure.py',('has no reach under','has no sensitivity under'))
sub('pandas_dp/engines/scan/scan_refusals.py',('draws rows of all parts together, and {scanned.called} hands out none of "\n                "its rows;','draws rows of all parts together, and {scanned.called} hands out "\n                "none of its rows;'),('half-samples of so many rows would take {numbers:,} numbers to draw, and at most "\n            f"{MOST:,} are','half-samples of so many rows would take {numbers:,} numbers to draw, and at "\n            f"most {MOST:,} are'))
sub('pandas_dp/audit/sensitivity.py',('but {self.farthest:.9g} between {self.example}"\n','but {self.farthest:.9g} "\n            f"between {self.example}"\n'))
WORDS.update(SENS)
for p in files:
    if p.exists():
        t=p.read_text(); n=re.sub(r'\bmasses\.sensitivity\b','masses.limit',t); n=re.sub(r'\bMasses\.sensitivity\b','Masses.limit',n)
        if n!=t: print('masses',p); p.write_text(n)
VERB=re.compile(r"(?<!\bcan )(?<!not )(?<!that )(?<!to )(?<!would )(?<!could )(?<!may )(?<!within )(?<!out of )(?<!'s )\b(r|R)each\b(?!\{)")
for p in [*(P/'docs').glob('*.md'),*(P/'docs/proofs').glob('*.md'),P/'CONTRIBUTING.md']:
    t=p.read_text()
    n=t.replace('its *reach*; elsewhere called *sensitivity*','its *sensitivity*').replace('Its *reach*, elsewhere called *sensitivity*, is','Its *sensitivity* is').replace('`Form.reach`','`Form.sensitivity`')
    parts=re.split(r'(```.*?```)',n,flags=re.S)
    n=''.join(x if x.startswith('```') else VERB.sub(lambda m:('S' if m.group(1)=='R' else 's')+'ensitivity',x) for x in parts)
    if n!=t: p.write_text(n)
def wrap():
    found=subprocess.run(['/work/venv/bin/ruff','check','-q','--output-format','concise','--select','E501','.'],cwd=P,capture_output=True,text=True).stdout.split('\n')
    again=False
    for line in found:
        m=re.match(r'(.*?):(\d+):\d+: E501',line)
        if not m: continue
        p=P/m.group(1); ls=p.read_text().split('\n'); i=int(m.group(2))-1; l=ls[i]
        if len(l)<=120: continue
        st=l.strip(); ind=l[:len(l)-len(l.lstrip())]
        if ('"' in st and not st.startswith(('"""','r"""')) and not st.endswith('"""')) or (re.search(r'\S  # ',l)): print('BY HAND',line); continue
        cut=l.rfind(' ',0,119)
        head,rest=l[:cut],l[cut+1:]
        nxt=ls[i+1] if i+1<len(ls) else ''
        if nxt.strip() and not rest.endswith('"""') and nxt.startswith(ind) and not nxt.startswith(ind+' ') and not re.match(r'\s*(>>>|\.\.\.|-|\*|\||Parameters|Returns|Examples)',nxt) and not nxt.strip()=='"""':
            ls[i]=head; ls[i+1]=ind+('# ' if st.startswith('#') else '')+rest+' '+nxt.strip().removeprefix('# ' if st.startswith('#') else '')
        else: ls[i:i+1]=[head,ind+('# ' if st.startswith('#') else '')+rest]
        p.write_text('\n'.join(ls)); again=True; break_=True
    return again
subprocess.run('/work/venv/bin/ruff check --fix -q . ; /work/venv/bin/ruff format -q .',cwd=P,shell=True,capture_output=True)
for _ in range(12):
    if not wrap(): break
