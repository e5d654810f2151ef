import { useLocation } from "preact-iso";
import { api, read, readPage, type Schemas } from "../../api/client.ts";
import { NameButton } from "../../ui/dialog-button.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";

const COLUMNS: Column<Schemas["Profile"]>[] = [
  { title: "Last used", cell: (profile) => <Time at={profile.last_used_at} /> },
  { title: "Updated", cell: (profile) => <Time at={profile.updated_at} /> },
  { title: "Created", cell: (profile) => <Time at={profile.created_at} /> },
  { title: "Id", cell: (profile) => <code>{profile.id}</code>, isMinor: true },
];

export function ProfileList() {
  const { route } = useLocation();
  const create = async (name: string) => {
    const profile = await read(api.POST("/profiles", { body: { name } }));
    showToast(`The profile “${profile.name ?? profile.id}” was created.`);
    route(`/console/profiles/${profile.id}`);
  };
  return (
    <ResourceList
      title="Profiles"
      noun="profile"
      href="/console/profiles"
      about="A profile keeps cookies, localStorage and IndexedDB between sessions, encrypted."
      advice="To stay signed in between sessions, create one and select it for a session that saves changes."
      action={
        <NameButton
          kind="primary"
          title="New profile"
          confirm="Create"
          hint="Letters, digits, “.”, “_” and “-”. Empty: no name, only an id."
          submit={create}
        />
      }
      load={(query, signal) => readPage(api.GET("/profiles", { params: { query }, signal }))}
      columns={COLUMNS}
    />
  );
}
