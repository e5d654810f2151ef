import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function Usage() {
  return (
    <Page title="Limits and use">
      <Loading />
    </Page>
  );
}
