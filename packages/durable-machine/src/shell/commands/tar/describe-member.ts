import { formatTime } from "../format-time.ts";
import { formatPermissions } from "../modes.ts";
import type { TarMember } from "./tar-header.ts";

const TYPE_LETTERS: Record<TarMember["type"], string> = {
  file: "-",
  directory: "d",
  symlink: "l",
  link: "h",
  other: "?",
};

/** As `tar tv` shows members. The column of the sizes grows with what it has had to hold. */
export class MemberDescriber {
  readonly #numericOwner: boolean;
  readonly #timeFormat: string;
  #width = 19;

  constructor({ numericOwner, fullTime }: { numericOwner: boolean; fullTime: boolean }) {
    this.#numericOwner = numericOwner;
    this.#timeFormat = fullTime ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M";
  }

  describe(member: TarMember): string {
    const user = this.#numericOwner || member.userName === "" ? String(member.uid) : member.userName;
    const group = this.#numericOwner || member.groupName === "" ? String(member.gid) : member.groupName;
    const owner = `${user}/${group}`;
    const size = String(member.size);
    this.#width = Math.max(this.#width, owner.length + 1 + size.length);
    const mode = TYPE_LETTERS[member.type] + formatPermissions(member.mode);
    const time = formatTime(member.modifiedAt, this.#timeFormat);
    const arrow = { symlink: ` -> ${member.target}`, link: ` link to ${member.target}` };
    const target = member.type === "symlink" || member.type === "link" ? arrow[member.type] : "";
    return `${mode} ${owner} ${size.padStart(this.#width - owner.length - 1)} ${time} ${member.name}${target}`;
  }
}
