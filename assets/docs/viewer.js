// Renders /openapi.json. "Try it out" calls this service with the key given under "Authorize".
const dark = matchMedia("(prefers-color-scheme: dark)");
const followColorScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followColorScheme);
followColorScheme();

window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#viewer",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
});
