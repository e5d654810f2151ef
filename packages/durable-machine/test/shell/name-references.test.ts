import { expect, it } from "vitest";
import { onMachine } from "./processes.ts";

it.each([
  "a=(1 2); declare -n r=a; echo ${r[1]}",
  'f() { local -n r=$1; r+=("$2"); }; a=(1); f a 2; echo "${a[@]}"',
  'f() { declare -n r=$1; for k in "${!r[@]}"; do echo "$k"; done; }; declare -A a=([k]=1); f a',
  "f() { local -n r=$1; mapfile -t r < <(seq 3); }; f a; echo ${a[1]}",
  "f() { local -n r=$1; read -ra r <<< 'x y'; }; f a; echo ${a[1]}",
  "f() { local -n r=$1; r[k]=1; }; declare -A a; f a; echo ${a[k]}",
  "f() { local -n r=$1; unset 'r[0]'; }; a=(1 2); f a; echo ${a[*]}",
  "f() { typeset -n r=$1; echo $((r[0] + 1)); }; a=(3); f a",
])("a reference to an array is refused: %s", (script) =>
  onMachine(async (machine) => {
    const { stdout, stderr, end } = await machine.bash(script);
    expect({ stdout, stderr, end }).toEqual({
      stdout: "",
      stderr: "bash: r: references to arrays are not supported\n",
      end: { by: "exit", code: 1 },
    });
  }),
);

it("a reference to text is none to an array of another name", () =>
  onMachine(async (machine) => {
    const { stdout } = await machine.bash('f() { local -n r=$1; r=5; }; f x; a=(1 2); echo "$x ${a[1]}"');
    expect(stdout).toBe("5 2\n");
  }));
