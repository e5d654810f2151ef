import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function AppList() {
  return (
    <Page title="Apps">
      <Loading />
    </Page>
  );
}
