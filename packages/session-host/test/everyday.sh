# What people do on a computer. Each step prints its name if it worked; programs that this computer lacks are left out.
set -eu
cd ~
has() { for program in "$@"; do command -v "$program" >/dev/null || return 1; done; }

if has python3 && python3 -c 'import venv'; then
  python3 -m venv --without-pip environment
  . environment/bin/activate
  python3 -c 'import sys; assert sys.prefix.endswith("environment")'
  deactivate
  echo venv
fi

if has git; then
  git init -q --initial-branch=main origin
  (cd origin && echo text > file && git add file &&
    git -c user.name=Kernel -c user.email=kernel@example.com commit -qm first)
  git clone -q origin copy
  [ "$(git -C copy log --format=%s)" = first ]
  echo git
fi

if has ffmpeg ffprobe; then
  ffmpeg -loglevel error -f lavfi -i testsrc=duration=1:size=320x240:rate=10 -c:v mpeg4 video.mp4
  [ "$(ffprobe -loglevel error -show_entries stream=nb_frames -of csv=p=0 video.mp4)" = 10 ]
  echo ffmpeg
fi

if has gcc; then
  printf '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n' > hello.c
  gcc -O2 -o hello hello.c
  [ "$(./hello)" = hello ]
  echo gcc
fi

if has node; then
  [ "$(node -e 'console.log(6 * 7)')" = 42 ]
  echo node
fi

mkdir -p tree/below
seq 1000 > tree/below/numbers
tar -czf tree.tar.gz tree
mkdir unpacked
tar -xzf tree.tar.gz -C unpacked
cmp tree/below/numbers unpacked/tree/below/numbers
echo tar

if has zip unzip; then
  zip -qr tree.zip tree
  unzip -q tree.zip -d unzipped
  cmp tree/below/numbers unzipped/tree/below/numbers
  echo zip
fi

if has python3 curl; then
  python3 -u -m http.server 8000 --directory tree > server.log 2>&1 &
  server=$!
  curl -s --retry 20 --retry-connrefused --retry-delay 1 localhost:8000/below/numbers | cmp - tree/below/numbers
  kill $server
  echo server
fi

[ "$(head -c 300M /dev/zero | cat | wc -c)" = 314572800 ]
echo pipe

mkfifo queue
cat queue > received &
echo through > queue
wait
[ "$(cat received)" = through ]
echo fifo

echo > /dev/stderr
[ "$(echo in | cat /dev/stdin)" = in ]
echo devices
