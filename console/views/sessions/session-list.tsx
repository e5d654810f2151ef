import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function SessionList() {
  return (
    <Page title="Sessions">
      <Loading />
    </Page>
  );
}
