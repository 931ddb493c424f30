# Outlives a parent that is killed. It reads its standard input, whose other end only the
# parent holds: first the id of the process group, then "done" if all is cleaned up.
# End of input without "done" means that the parent is gone: kill the group, remove the folder ($1).
trap '' HUP INT TERM
group=
while IFS= read -r line; do
  case $line in
  done) exit 0 ;;
  *) group=$line ;;
  esac
done
tries=0
while [ -e "$1" ] && [ "$tries" -lt 100 ]; do
  [ -z "$group" ] || kill -s KILL -- "-$group" 2>/dev/null
  rm -rf -- "$1" 2>/dev/null
  tries=$((tries + 1))
  [ ! -e "$1" ] || sleep 0.05
done
