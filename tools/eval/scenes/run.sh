#!/bin/bash
# Renders places of this folder with the generator of another renderer.  run.sh GENERATOR OUT [SCENE ...]
# GENERATOR is the folder of its Walk.java and FastSphereLight.java; frames that are already under $WORK are kept.
# A scene whose name ends in -walk is a video of $W x $H pixels; any other is photos of 1280 x 720 pixels.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd) GENERATOR=$1 OUT=$2 WORK=${WORK:-${TMPDIR:-/tmp}/scenes}
W=${W:-800} H=${H:-450} FPS=${FPS:-4} RATE=24
shift 2
mkdir -p "$WORK/build" "$OUT"
CP=$WORK/build:/usr/share/sweethome3d/sweethome3d.jar
for j in j3dcore j3dutils vecmath batik sunflow itext janino freehep-io freehep-graphics2d freehep-graphicsbase freehep-graphicsio; do
  CP=$CP:/usr/share/java/$j.jar
done
javac -nowarn -cp "$CP" -d "$WORK/build" "$GENERATOR"/Walk.java "$GENERATOR"/FastSphereLight.java "$HERE"/*.java
if [ -z "${DISPLAY:-}" ]; then # Java3D needs a display, though nothing is shown on it
  Xvfb :77 -screen 0 640x480x24 >/dev/null 2>&1 & XVFB=$!
  trap 'kill $XVFB' EXIT
  export DISPLAY=:77; sleep 2
fi
walk() {
  nice -n 15 java -Xmx3g -Djava.library.path=/usr/lib/jni -Dcom.eteks.sweethome3d.j3d.checkOffScreenSupport=false \
    -Dcom.eteks.sweethome3d.j3d.PhotoRenderer.lowQuality.antiAliasing.max=1 -Dwalk.tex="$WORK/tex" \
    --add-exports java.desktop/sun.awt=ALL-UNNAMED -cp "$CP" Walk "$@"
}
for s in "$@"; do
  mkdir -p "$OUT/$s"
  case $s in
    *-walk)
      walk frames "$s" "$W" "$H" "$FPS" "$WORK/$s"
      sound=(); rm -f "$WORK/$s.wav"
      walk truth "$s" "$W" "$H" "$FPS" "$s.mp4" "$OUT/$s/$s.truth.json" "$WORK/$s.wav"
      [ ! -f "$WORK/$s.wav" ] || sound=(-i "$WORK/$s.wav" -c:a aac -b:a 64k)
      nice -n 15 ffmpeg -v error -y -framerate "$FPS" -i "$WORK/$s/f%05d.png" "${sound[@]}" -r $RATE -c:v libx264 -preset medium \
        -crf 21 -pix_fmt yuv420p -movflags +faststart "$OUT/$s/$s.mp4";;
    *)
      walk photos "$s" 1280 720 "$OUT/$s"
      mv "$OUT/$s/photos-$s.truth.json" "$OUT/$s/$s.truth.json";;
  esac
done
