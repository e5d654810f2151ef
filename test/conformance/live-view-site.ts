import { type Pages, servePages } from "./computer-pages.ts";

/** One element of each kind, at fixed places in a page beyond any viewport. It records events in `heard`. */
const PLAYGROUND = `<!doctype html><meta charset="utf-8"><title>Playground</title>
<style>
  body { margin: 0; height: 4000px; background: rgb(255 255 255); font: 20px sans-serif }
  body > * { position: absolute; left: 40px; box-sizing: border-box; margin: 0 }
  #field { top: 40px; width: 400px; height: 40px }
  #button { top: 120px; width: 200px; height: 60px }
  #slider { top: 220px; width: 400px; height: 30px }
  #link { top: 280px }
  #select { top: 330px; width: 200px; height: 40px }
  #words { top: 420px }
  #area { top: 480px; width: 400px; height: 120px }
  #date { top: 620px; width: 200px; height: 40px }
</style>
<input id="field">
<button id="button">Press</button>
<input id="slider" type="range" min="0" max="100" value="0">
<a id="link" href="/other">other</a>
<select id="select"><option>red</option><option>green</option><option>blue</option></select>
<p id="words">alpha <span id="beta">betabeta</span> gamma</p>
<textarea id="area"></textarea>
<input id="date" type="date">
<script>
  const heard = [];
  const modifiers = (event) => ["ctrl", "alt", "shift", "meta"].filter((name) => event[name + "Key"]);
  const note = (event, ...details) => heard.push([event.type, ...details, ...modifiers(event)].join(" "));
  for (const type of ["mousedown", "mouseup", "click", "dblclick", "auxclick", "contextmenu"]) {
    addEventListener(type, (event) => note(event, event.target.id, "button" + event.button, "x" + event.detail));
  }
  for (const type of ["keydown", "keyup"]) addEventListener(type, (event) => note(event, event.key, event.code));
  for (const type of ["touchstart", "touchend"]) {
    addEventListener(type, (event) => note(event, event.target.id, event.touches.length));
  }
</script>`;

/** A page of one color, given by its query. */
function colored(url: URL): string {
  const color = (url.searchParams.get("is") ?? "white").replace(/[^a-z]/g, "");
  return `<!doctype html><title>${color}</title><body style="background: ${color}">`;
}

const ANIMATION = `<!doctype html><title>Animation</title><canvas id="stage" width="800" height="600"></canvas>
<script>
  const context = document.getElementById("stage").getContext("2d");
  let number = 0;
  requestAnimationFrame(function draw() {
    number += 1;
    context.fillStyle = "hsl(" + number % 360 + " 90% 50%)";
    context.fillRect(0, 0, 800, 600);
    requestAnimationFrame(draw);
  });
</script>`;

const GUARDED = `<!doctype html><title>Guarded</title><button id="button">Touch me</button>
<script>addEventListener("beforeunload", (event) => event.preventDefault())</script>`;

/** A website on localhost for the remote browser. `/hanging` never responds. */
export function openLiveViewSite(): Promise<Pages> {
  return servePages({
    "/playground": PLAYGROUND,
    "/color": (_, url) => colored(url),
    "/animation": ANIMATION,
    "/guarded": GUARDED,
    "/other": "<!doctype html><title>Other</title><h1>Other</h1>",
    "/embedding": (_, url) =>
      `<!doctype html><title>Embedding</title><iframe allow="clipboard-write" style="width: 100%; height: 90vh"
        src="${url.searchParams.get("view")?.replaceAll('"', "&quot;")}"></iframe>`,
    "/hanging": () => undefined,
  });
}
