import type {
  DialogView,
  HandoffView,
  ServiceMessage,
  SessionView,
  ViewerMessage,
} from "../../src/features/live-view/protocol.ts";
import { find } from "../elements.ts";
import { Connection } from "./connection.ts";
import { RemoteDialog } from "./dialog.ts";
import { FieldPicker } from "./field-picker.ts";
import { fileURL } from "./file-transfer.ts";
import { HandoffBanner } from "./handoff-banner.ts";
import { timeLeft } from "./handoff-words.ts";
import { Keyboard } from "./keyboard.ts";
import { isAddressShortcut } from "./keys.ts";
import { type ConnectionState, noticeFor, type ViewEnd } from "./notice.ts";
import { Pointer } from "./pointer.ts";
import { RemoteCursor } from "./remote-cursor.ts";
import { Screen } from "./screen.ts";
import { ScreenFocus } from "./screen-focus.ts";
import { Status } from "./status.ts";
import { TabStrip, tabName } from "./tab-strip.ts";
import { TextInput } from "./text-input.ts";
import { Toolbar } from "./toolbar.ts";
import { Touch } from "./touch.ts";

type Tabs = Omit<Extract<ServiceMessage, { type: "tabs" }>, "type">;

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
const surface = find("#screen", HTMLElement);
const canvas = find("#page", HTMLCanvasElement);
const tools = find("#tools", HTMLElement);

let connectionState: ConnectionState = "connecting";
let ended: ViewEnd = { cause: "session", reason: "" };
let canControl = false;
let isKiosk = false;
let dialogView: DialogView | null = null;
let handoff: HandoffView | null = null;
let session: SessionView | undefined;
let tabs: Tabs | undefined;

const mayControl = () => canControl;
const send = (message: ViewerMessage) => connection.send(message);

function act(message: ViewerMessage): void {
  if (connection.isLive) send(message);
  else status.toast("Not connected to the browser.");
}

function sendInput(message: ViewerMessage): void {
  if (message.type === "mouse") cursor.movedByViewer(message);
  send(message);
}

const status = new Status((does) => act({ type: does }));
const screen = new Screen({ frame: surface, canvas, send });
const banner = new HandoffBanner(act);
const cursor = new RemoteCursor(find("#cursor", SVGElement));
const textInput = new TextInput({
  field: find("#keys", HTMLTextAreaElement),
  surface,
  canControl: mayControl,
  send,
  onRefused: (message) => status.toast(message),
});
const focus = new ScreenFocus({
  surface,
  canvas,
  hint: find("#keyboard-hint", HTMLElement),
  textInput,
  isMac,
});
const tabStrip = new TabStrip({
  list: find("#tabs", HTMLElement),
  template: find("#tab", HTMLTemplateElement),
  newTab: find("#new-tab", HTMLButtonElement),
  act,
});
const toolbar = new Toolbar({
  toolbar: find("#toolbar", HTMLElement),
  act,
  onOpened: () => canvas.focus({ preventScroll: true }),
});
const dialog = new RemoteDialog({
  dialog: find("#dialog", HTMLDialogElement),
  act,
  onClosed: () => canvas.focus({ preventScroll: true }),
});
const keyboard = new Keyboard({ surface, isMac, canControl: mayControl, send, onLeave: leaveScreen });
new Pointer({
  canvas,
  screen,
  isMac,
  canControl: mayControl,
  send: sendInput,
  onPress: ({ clientX, clientY }) => {
    const { left, top } = canvas.getBoundingClientRect();
    textInput.moveTo({ x: clientX - left, y: clientY - top });
    focus.take("mouse");
  },
});
new Touch({
  canvas,
  screen,
  canControl: mayControl,
  send: sendInput,
  onPress: () => focus.take("finger"),
  onDoubleTap: (at) => screen.toggleFill(find("#view", HTMLElement), at),
});
// The page then covers the screen in the other direction.
matchMedia("(orientation: portrait)").addEventListener("change", () => screen.fit());
const picker = new FieldPicker({ bar: find("#picker", HTMLFormElement), textInput, act });

const socketUrl = new URL(`${location.pathname}/socket${location.search}`, location.href);
socketUrl.protocol = location.protocol === "https:" ? "wss:" : "ws:";
const connection: Connection = new Connection({
  url: socketUrl.href,
  onState: (state) => {
    connectionState = state;
    render();
  },
  onMessage: receive,
  onPicture: (message) => screen.receive(message),
});

document.addEventListener("keydown", focusAddressOnShortcut, { capture: true });
setUpKeyboardButton(find("#soft-keyboard", HTMLButtonElement));
render();
setInterval(render, 15_000); // For the times that are left.

function receive(message: ServiceMessage): void {
  switch (message.type) {
    case "welcome":
      canControl = message.mode === "control";
      isKiosk = message.kiosk;
      showDialog(null);
      cursor.hide();
      // Without a toolbar, the remaining controls float above the page.
      (isKiosk ? find("#stage", HTMLElement) : find("#toolbar", HTMLElement)).append(tools);
      document.body.classList.add("is-welcome");
      document.body.classList.toggle("is-kiosk", isKiosk);
      document.body.classList.toggle("is-watching", !canControl);
      render();
      screen.begin(message.viewport);
      break;
    case "viewport":
      screen.expect(message);
      break;
    case "tabs":
      tabs = message;
      render();
      break;
    case "dialog":
      showDialog(message.dialog);
      break;
    case "session":
      if (session === undefined && canControl && matchMedia("(pointer: coarse)").matches) {
        status.toast("Tap to click, drag to scroll, pinch to zoom, tap twice to fill the screen.");
      }
      session = message;
      break;
    case "handoff":
      handoff = message.handoff;
      render();
      break;
    case "download":
      status.toast(`Download ${message.name}`, { href: fileURL(message.id), download: message.name });
      break;
    case "cursor":
      if (message.hidden) cursor.hide();
      else cursor.show(message, screen.page);
      break;
    case "clipboard":
      // Browsers refuse it while another window has the focus; the person can copy again.
      navigator.clipboard?.writeText(message.text).catch(() => undefined);
      break;
    case "field":
      picker.show(message.field);
      break;
    case "refused":
      status.toast(message.message);
      break;
    case "ended":
      ended = message;
      handoff = null;
      break;
    case "pong":
      break;
  }
}

function showDialog(view: DialogView | null): void {
  dialogView = view;
  render();
  dialog.show(view, canControl);
}

function render(): void {
  const activeTab = tabs?.tabs.find(({ id }) => id === tabs?.active);
  const knowsTabs = tabs !== undefined;
  const notice = noticeFor({ connection: connectionState, ended, activeTab, knowsTabs, canControl });
  status.show(notice);
  surface.inert = dialogView !== null || (notice !== undefined && notice.kind !== "pill");
  document.body.classList.toggle("is-lost", connectionState === "lost");
  document.body.classList.toggle("is-ended", connectionState === "ended");
  focus.allow(canControl);
  tabStrip.show(tabs?.tabs ?? [], tabs?.active ?? null, canControl);
  const { canGoBack = false, canGoForward = false } = tabs ?? {};
  toolbar.show({ activeTab, canGoBack, canGoForward, canControl });
  banner.show(handoff, canControl);
  const ends = session?.endsAt ? timeLeft(session.endsAt) : "";
  find("#session", HTMLElement).textContent = [session?.name, ends].filter(Boolean).join(" · ");
  document.title = activeTab === undefined ? "Live view" : `${tabName(activeTab)} – Live view`;
}

function leaveScreen(): void {
  if (isKiosk) find("#after-screen", HTMLElement).focus();
  else toolbar.focusAddress();
}

function focusAddressOnShortcut(event: KeyboardEvent): void {
  if (!canControl || isKiosk || !isAddressShortcut(event, isMac)) return;
  event.preventDefault();
  event.stopPropagation();
  keyboard.releaseAll();
  toolbar.focusAddress();
}

function setUpKeyboardButton(button: HTMLButtonElement): void {
  // Moving the focus would close the soft keyboard.
  button.addEventListener("pointerdown", (event) => event.preventDefault());
  button.addEventListener("mousedown", (event) => event.preventDefault());
  button.addEventListener("click", () => {
    if (textInput.hasFocus) textInput.blur();
    else textInput.focus();
  });
}
