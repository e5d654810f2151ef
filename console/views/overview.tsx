import { Page } from "../ui/page.tsx";
import { Loading } from "../ui/states.tsx";

export function Overview() {
  return (
    <Page title="Overview">
      <Loading />
    </Page>
  );
}
