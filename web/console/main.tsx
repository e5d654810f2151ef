import "./styles/index.css";
import { render } from "preact";
import { App } from "./app/app.tsx";

const root = document.querySelector("#app");
if (root === null) throw new Error("index.html has no #app");
root.replaceChildren();
render(<App />, root);
