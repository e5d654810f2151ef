import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function ExtensionView() {
  return (
    <Page title="Extension">
      <Loading />
    </Page>
  );
}
