import { type Theme, useData } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { onMounted, watch } from "vue";
import TryIt from "./TryIt.vue";
import { keepCredentials } from "./try-it.ts";
import "./style.css";

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component("TryIt", TryIt);
  },
  setup: () => {
    const { frontmatter } = useData();
    onMounted(keepCredentials);
    onMounted(() => watch(frontmatter, markMainContent, { immediate: true, flush: "post" }));
  },
} satisfies Theme;

/** The theme has a `main` element on all pages but the home page. */
function markMainContent({ layout }: { layout?: string }): void {
  const content = document.getElementById("VPContent");
  if (layout === "home") content?.setAttribute("role", "main");
  else content?.removeAttribute("role");
}
