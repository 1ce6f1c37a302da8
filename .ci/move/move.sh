set -e
here=$(cd "$(dirname "$0")" && pwd)
python3 $here/prep.py $1
python3 $here/plan.py $1 $here/plan.json
python3 $here/move.py $1 $here/plan.json
python3 $here/post.py $1
