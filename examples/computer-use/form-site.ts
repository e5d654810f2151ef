import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/** Elements have fixed positions for the script. */
const FORM = `<!doctype html><title>Book a berth</title>
<style>
  body { font: 16px sans-serif; margin: 0 }
  form > * { position: absolute; left: 80px; width: 400px; box-sizing: border-box }
  input, select, button { height: 40px }
  #rules { height: 120px; overflow-y: scroll; border: 1px solid #888; padding: 8px }
  #rules p { height: 600px }
  label { display: flex; align-items: center; gap: 8px }
</style>
<form method="post" accept-charset="utf-8">
  <h1 style="top: 10px">Book a berth</h1>
  <input name="ship" style="top: 100px" placeholder="Ship">
  <input name="captain" style="top: 160px" placeholder="Captain" value="Unknown">
  <input name="length" type="range" min="0" max="100" value="0" style="top: 220px; margin: 0" aria-label="Length">
  <div id="rules" style="top: 280px"><p>Keep the quay clear, and the lights on.</p><p>Pay before you leave.</p></div>
  <label style="top: 420px"><input id="agreed" name="agreed" type="checkbox" disabled> I read the rules</label>
  <button style="top: 480px">Book</button>
</form>
<script>
  const rules = document.getElementById("rules");
  rules.addEventListener("scroll", () => {
    const isRead = rules.scrollTop + rules.clientHeight >= rules.scrollHeight - 1;
    if (isRead) document.getElementById("agreed").disabled = false;
  });
</script>`;

const THANKS = `<!doctype html><title>Booked</title><h1>Your berth is booked.</h1>`;

export interface FormSite {
  url: string;
  /** Values of the first submitted form by field name. */
  received: Promise<Record<string, string>>;
  close(): Promise<void>;
}

export async function openFormSite(): Promise<FormSite> {
  const received = Promise.withResolvers<Record<string, string>>();
  const server = createServer(async (request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (request.method === "POST") {
      received.resolve(Object.fromEntries(new URLSearchParams(await text(request))));
      response.end(THANKS);
    } else {
      response.end(FORM);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The site has no port");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    received: received.promise,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
