import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function AllSessions() {
  return (
    <Page title="All sessions">
      <Loading />
    </Page>
  );
}
