import { createHash } from "node:crypto";
import { defineConfig } from "vitepress";

/** What users need comes first, then what operators need. */
const GUIDE = [
  {
    text: "Start",
    items: [
      { text: "Get started", link: "/start" },
      { text: "Which interface?", link: "/interfaces" },
      { text: "Sessions", link: "/sessions" },
      { text: "Connect URLs", link: "/connect" },
      { text: "Live view", link: "/live-view" },
      { text: "Files and processes", link: "/files-and-processes" },
      { text: "Files with Playwright", link: "/files-with-playwright" },
      { text: "Real machines", link: "/real-machines" },
      { text: "Profiles", link: "/profiles" },
      { text: "Troubleshooting", link: "/troubleshooting" },
    ],
  },
  {
    text: "Drive a browser",
    items: [
      { text: "Computer use", link: "/computer-use" },
      { text: "WebDriver", link: "/webdriver" },
      { text: "MCP", link: "/mcp" },
      { text: "Code beside the browser", link: "/playwright-execute" },
      { text: "Apps", link: "/apps" },
      { text: "Handoff", link: "/handoff" },
    ],
  },
  {
    text: "Browsers for your needs",
    items: [
      { text: "Browser pools", link: "/pools" },
      { text: "Proxies", link: "/proxies" },
      { text: "Extensions", link: "/extensions" },
      { text: "Stealth", link: "/stealth" },
    ],
  },
  {
    text: "See what happens",
    items: [
      { text: "Console", link: "/console" },
      { text: "Recordings", link: "/recordings" },
      { text: "Telemetry", link: "/telemetry" },
      { text: "Webhooks", link: "/webhooks" },
    ],
  },
  {
    text: "Your organization",
    items: [
      { text: "API keys", link: "/api-keys" },
      { text: "Projects", link: "/projects" },
      { text: "Usage, budgets, metrics", link: "/usage" },
      { text: "Audit log", link: "/audit-log" },
    ],
  },
  {
    text: "Switch to Berth",
    items: [
      { text: "Compatibility with Kernel", link: "/compatibility" },
      { text: "Differences from Kernel", link: "/differences" },
      { text: "From Kernel", link: "/migrate-from-kernel" },
      { text: "From Browserbase", link: "/migrate-from-browserbase" },
      { text: "From browserless", link: "/migrate-from-browserless" },
    ],
  },
  {
    text: "Run the service",
    items: [
      { text: "Deploy", link: "/deploy" },
      { text: "Settings and limits", link: "/settings" },
      { text: "Operate", link: "/operate" },
      { text: "Run a host", link: "/run-a-host" },
      { text: "Back up and restore", link: "/backup" },
      { text: "Log events", link: "/log-events" },
      { text: "Costs and pricing", link: "/costs" },
      { text: "Security model", link: "/security" },
      { text: "Scale", link: "/scale" },
      { text: "Probe the platform", link: "/probe" },
      { text: "Benchmarks", link: "/benchmarks" },
    ],
  },
  {
    text: "Contributing",
    items: [{ text: "Storage schema", link: "/storage-schema" }],
  },
];

const RECIPES = [
  {
    text: "Recipes",
    items: [
      { text: "Playwright Test", link: "/recipes/playwright-test" },
      { text: "Puppeteer", link: "/recipes/puppeteer" },
      { text: "Python", link: "/recipes/python" },
      { text: "Computer-use agent", link: "/recipes/computer-use-agent" },
      { text: "Stagehand", link: "/recipes/stagehand" },
      { text: "browser-use", link: "/recipes/browser-use" },
      { text: "agent-browser", link: "/recipes/agent-browser" },
      { text: "MCP clients", link: "/recipes/mcp" },
      { text: "Crawlee", link: "/recipes/crawlee" },
    ],
  },
];

/** In the order of the tags in /openapi.json. */
const API = [
  {
    text: "API reference",
    items: [
      { text: "Overview", link: "/api/" },
      { text: "Browser sessions", link: "/api/browser-sessions" },
      { text: "Browser pools", link: "/api/browser-pools" },
      { text: "Proxies", link: "/api/proxies" },
      { text: "Extensions", link: "/api/extensions" },
      { text: "Profiles", link: "/api/profiles" },
      { text: "Computer", link: "/api/computer" },
      { text: "Live view", link: "/api/live-view" },
      { text: "Recordings", link: "/api/recordings" },
      { text: "Files", link: "/api/files" },
      { text: "Processes", link: "/api/processes" },
      { text: "Telemetry", link: "/api/telemetry" },
      { text: "Playwright", link: "/api/playwright" },
      { text: "Apps", link: "/api/apps" },
      { text: "Organization", link: "/api/organization" },
      { text: "Audit log", link: "/api/audit-log" },
      { text: "Webhooks", link: "/api/webhooks" },
      { text: "Console", link: "/api/console" },
      { text: "Operator", link: "/api/operator" },
    ],
  },
];

export default defineConfig({
  base: "/docs/",
  lang: "en-US",
  title: "Berth",
  description: "Cloud browser sessions on your own Cloudflare account.",
  cleanUrls: true,
  head: [["link", { rel: "icon", href: "/docs/icon.svg", type: "image/svg+xml" }]],
  themeConfig: {
    logo: "/icon.svg",
    nav: [
      { text: "Guide", link: "/start", activeMatch: "^/(?!api/|recipes/|$)" },
      { text: "Recipes", link: "/recipes/playwright-test", activeMatch: "^/recipes/" },
      { text: "API", link: "/api/", activeMatch: "^/api/" },
    ],
    sidebar: { "/recipes/": RECIPES, "/api/": API, "/": GUIDE },
    outline: { level: 2 },
    search: { provider: "local", options: { detailedView: true } },
  },
  markdown: { theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } },
  vite: {
    build: { chunkSizeWarningLimit: 2000 },
    // Not the project's tsconfig.json, whose target this version of esbuild does not know.
    esbuild: { tsconfigRaw: {} },
  },

  transformHtml: (html) => html.replace("<head>", `<head>\n    ${contentSecurityPolicy(html)}`),
});

/** Allows only the inline scripts that the generator has put into the page. */
function contentSecurityPolicy(html: string): string {
  const scripts = html.matchAll(/<script\b(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g);
  const hashes = [...scripts].map(
    ([, code = ""]) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`,
  );
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return `<meta http-equiv="Content-Security-Policy" content="${policy.join("; ")}">`;
}
