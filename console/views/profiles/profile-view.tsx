import { useLocation, useRoute } from "preact-iso";
import { api, read, type Schemas } from "../../api/client.ts";
import { type Resource, useLoad } from "../../api/hooks.ts";
import { ConfirmButton } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { download } from "../../ui/download.ts";
import { Facts } from "../../ui/facts.tsx";
import { NameButton } from "../../ui/name-dialog.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ProfileContents } from "./profile-contents.tsx";

type Profile = Schemas["Profile"];

export function ProfileView() {
  const { id = "" } = useRoute().params;
  const profile = useLoad(`/profiles/${id}`, (signal) =>
    read(api.GET("/profiles/{id_or_name}", { params: { path: { id_or_name: id } }, signal })),
  );
  const { data } = profile;
  return (
    <Page
      title={data === undefined ? "Profile" : (data.name ?? data.id)}
      parent={{ href: "/console/profiles", label: "Profiles" }}
      actions={data && <Actions profile={data} resource={profile} />}
    >
      <Loaded resource={profile}>
        {({ id, created_at, updated_at, last_used_at }) => (
          <>
            <Section title="Profile">
              <Facts
                facts={[
                  ["Id", <CopyText key="id" text={id} what="the profile's id" />],
                  ["Last used", <Time key="used" at={last_used_at} />],
                  ["Last saved or renamed", <Time key="updated" at={updated_at} />],
                  ["Created", <Time key="created" at={created_at} />],
                  [
                    "Sessions",
                    <a key="sessions" href={`/console/sessions?status=all&profile_id=${id}`}>
                      All with this profile
                    </a>,
                  ],
                ]}
              />
            </Section>
            <ProfileContents id={id} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ profile, resource }: { profile: Profile; resource: Resource<Profile> }) {
  const { route } = useLocation();
  const name = profile.name ?? profile.id;
  const params = { path: { id_or_name: profile.id } };
  const rename = async (name: string) => {
    await read(api.PATCH("/profiles/{id_or_name}", { params, body: { name } }));
    showToast(`The profile is now named “${name}”.`);
    resource.reload();
  };
  const save = async () => {
    const isSaved = await download(`/profiles/${profile.id}/download`, `${name}.json`);
    if (!isSaved) showToast("Nothing has been saved in this profile yet.");
  };
  const remove = async () => {
    await read(api.DELETE("/profiles/{id_or_name}", { params }));
    showToast(`The profile “${name}” was deleted.`);
    route("/console/profiles");
  };
  return (
    <>
      <ConfirmButton
        kind="plain"
        question={`Download the profile “${name}”?`}
        consequence="The file is not encrypted. Whoever has it can use the sign-ins that the profile holds."
        confirm="Download"
        action={save}
      >
        Download
      </ConfirmButton>
      <NameButton
        title={`Rename the profile “${name}”`}
        confirm="Rename"
        initial={profile.name}
        submit={rename}
      >
        Rename
      </NameButton>
      <ConfirmButton
        question={`Delete the profile “${name}”?`}
        consequence="Its contents are deleted at once. Running sessions that have it continue, but save nothing. New sessions, and pools that select it, fail."
        confirm="Delete"
        action={remove}
      >
        Delete
      </ConfirmButton>
    </>
  );
}
