import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { actIn, api, OF_ALL_PROJECTS, read, type Schemas, whenProjectLost } from "../api/client.ts";
import { useLoad } from "../api/hooks.ts";
import { showToast } from "../ui/toast.tsx";
import { useIdentity } from "./identity.ts";
import { useQuery } from "./query.ts";

export type Project = Schemas["Project"];

const MAX_PROJECTS = 100;

interface Projects {
  /** The active ones. Empty for the operator, and for keys that may not list them. */
  active: readonly Project[];
  /** The one that the views are about. */
  current: Project | undefined;
  /** The id in the address; undefined: the default project, or the key's. */
  chosen: string | undefined;
  /** False until it is known that the chosen one is active. */
  isReady: boolean;
  choose: (id: string) => void;
  reload: () => void;
}

const ProjectsContext = createContext<Projects | undefined>(undefined);

export function useProjects(): Projects {
  const projects = useContext(ProjectsContext);
  if (projects === undefined) throw new Error("There is no ProjectScope");
  return projects;
}

/** Makes all calls act in the project that the address names. Links without a project keep it. */
export function ProjectScope({ children }: { children: ComponentChildren }) {
  const identity = useIdentity();
  const { path, route } = useLocation();
  const [query, setQuery] = useQuery();
  const kept = useRef<string | undefined>(undefined);
  const chosen = query.project ?? kept.current;
  kept.current = chosen;
  // Before the views load anything.
  actIn(chosen);
  const { data, error, reload } = useLoad("projects", async (signal) => {
    const active = identity.kind === "operator" ? [] : await loadActive(chosen, signal);
    return { active, searched: chosen };
  });
  const active = data?.active ?? [];
  const find = (wanted: string | undefined) => active.find(({ id }) => id === wanted);
  const isKnown = chosen === undefined || find(chosen) !== undefined;

  useEffect(() => whenProjectLost(reload), [reload]);
  useEffect(() => {
    if (chosen !== undefined && query.project === undefined) setQuery({ project: chosen });
  }, [chosen, query.project]);
  useEffect(() => {
    if (data === undefined || isKnown) return;
    if (data.searched !== chosen) return reload();
    kept.current = undefined;
    setQuery({ project: undefined });
    showToast("The project was archived or deleted. You are now in the default project.", "bad");
  }, [data, chosen]);
  useEffect(() => {
    const keep = (event: Event) => keepProject(event, chosen);
    document.addEventListener("pointerdown", keep);
    return () => document.removeEventListener("pointerdown", keep);
  }, [chosen]);

  const defaultId = identity.kind === "organization" ? identity.organization.id : undefined;
  const value: Projects = {
    active,
    current: find(chosen ?? defaultId) ?? active[0],
    chosen,
    isReady: isKnown || error !== undefined,
    // What a page shows exists in no other project, but its list does.
    choose: (id) => route(`${path.split("/").slice(0, 3).join("/")}?project=${id}`),
    reload,
  };
  return <ProjectsContext.Provider value={value}>{children}</ProjectsContext.Provider>;
}

/** The newest active projects, and the chosen one. */
async function loadActive(chosen: string | undefined, signal: AbortSignal): Promise<Project[]> {
  const shared = { headers: OF_ALL_PROJECTS, signal };
  const query = { limit: MAX_PROJECTS };
  const projects = await read(api.GET("/org/projects", { params: { query }, ...shared }));
  if (chosen !== undefined && !projects.some(({ id }) => id === chosen)) {
    const params = { path: { id: chosen } };
    projects.push(
      ...(await read(api.GET("/org/projects/{id}", { params, ...shared })).then(
        (project) => [project],
        () => [],
      )),
    );
  }
  return projects.filter(({ status }) => status === "active");
}

/** A link may be opened in another tab, which knows only its address. */
function keepProject({ target }: Event, id: string | undefined): void {
  const link = target instanceof Element && target.closest<HTMLAnchorElement>("a[href^='/console']");
  if (!link || id === undefined) return;
  const url = new URL(link.href);
  url.searchParams.set("project", id);
  link.href = url.href;
}
