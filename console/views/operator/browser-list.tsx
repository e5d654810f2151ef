import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function BrowserList() {
  return (
    <Page title="Browsers">
      <Loading />
    </Page>
  );
}
