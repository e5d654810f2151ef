import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function Settings() {
  return (
    <Page title="Settings">
      <Loading />
    </Page>
  );
}
