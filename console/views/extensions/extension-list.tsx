import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function ExtensionList() {
  return (
    <Page title="Extensions">
      <Loading />
    </Page>
  );
}
