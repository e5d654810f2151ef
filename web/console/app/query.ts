import { useLocation } from "preact-iso";

export type Query = Readonly<Record<string, string | undefined>>;

/** The address's query, and a function that changes some of its parameters without a history entry. */
export function useQuery(): [Query, (change: Query) => void] {
  const { query, route } = useLocation();
  const change = (changes: Query) => {
    // The address may have changed since the last render.
    const { pathname: path, search } = location;
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString();
    route(text === "" ? path : `${path}?${text}`, true);
  };
  return [query, change];
}
