const SENTENCES = [
  "The harbour master writes every arrival into the book before the tide turns.",
  "A ship that is late keeps its berth for an hour, and no longer.",
  "Ropes are checked each morning, fenders each week, and the lights after every storm.",
  "Whoever leaves says so at the office, where the fee of the last night is paid.",
];

function text(sentences: number, from: number): string {
  return Array.from({ length: sentences }, (_, index) => SENTENCES[(from + index) % SENTENCES.length]).join(
    " ",
  );
}

function repeat(count: number, part: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => part(index)).join("");
}

const STYLE = `<style>
  body { font: 16px/1.5 sans-serif; margin: 24px; color: #222; background: #fdfdfb }
  main { columns: 3; column-gap: 32px }
  section { break-inside: avoid; border: 1px solid #ccd; border-radius: 8px; padding: 0 16px; margin-bottom: 16px }
  a { color: #06c } a:hover { text-decoration: none } section:hover { background: #eef4ff }
  textarea { width: 100%; height: 80px; font: inherit }
</style>`;

const ARTICLES = repeat(
  18,
  (index) => `<section><h2>Notice ${index + 1}</h2><p>${text(5, index)} <a href="#${index}">Read on</a></p>
    <ul>${repeat(4, (item) => `<li>${text(1, index + item)}</li>`)}</ul></section>`,
);

/** Position of the text field of {@link ORDINARY_PAGE}. */
export const FIELD = { x: 400, y: 60 };

/** A typical page with mouse and keyboard listeners and a text field. */
export const ORDINARY_PAGE = `<!doctype html><title>Notices</title>${STYLE}
<textarea id="field" aria-label="Note" autofocus></textarea><p id="told">&nbsp;</p><main>${ARTICLES}</main>
<script>
  let events = 0;
  const field = document.getElementById("field");
  const tell = (event) => {
    events += 1;
    document.getElementById("told").textContent = event.type + " " + events;
  };
  for (const type of ["mousemove", "mousedown", "mouseup", "click", "keydown", "keyup"]) {
    document.addEventListener(type, tell);
  }
  field.addEventListener("input", () => {
    if (field.value.length > 400) field.value = "";
  });
</script>`;

/** Text scrolls endlessly: every frame differs. A press toggles a cover, which makes frames much smaller. */
export const MOVING_PAGE = `<!doctype html><title>Moving</title>${STYLE}
<style>
  html { overflow: hidden }
  #cover { position: fixed; inset: 0; background: #2040a0; color: white; padding: 24px }
</style>
<main>${ARTICLES}${ARTICLES}${ARTICLES}</main><div id="cover" hidden></div>
<script>
  const cover = document.getElementById("cover");
  let frame = 0;
  const draw = () => {
    frame += 1;
    cover.textContent = frame;
    const longest = document.documentElement.scrollHeight - innerHeight;
    const place = (frame * 3) % (2 * longest);
    scrollTo(0, place < longest ? place : 2 * longest - place);
    requestAnimationFrame(draw);
  };
  draw();
  document.addEventListener("mousedown", () => { cover.hidden = !cover.hidden; });
</script>`;
