// A fake of wrangler that keeps an account in the file FAKE_ACCOUNT and fails where Cloudflare does.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

const file = process.env.FAKE_ACCOUNT;
const account = JSON.parse(readFileSync(file, "utf8"));
const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const config = readFileSync(option("--config"), "utf8");
const command = args
  .slice(
    0,
    args.findIndex((arg) => arg.startsWith("-")),
  )
  .join(" ");
appendFileSync(`${file}.log`, `${process.env.CLOUDFLARE_ACCOUNT_ID ?? ""} ${command}\n`);

function fail(message) {
  console.error(`✘ [ERROR] ${message}`);
  process.exit(1);
}

if (command !== "whoami" && account.accounts?.length > 1 && !process.env.CLOUDFLARE_ACCOUNT_ID)
  fail("More than one account available but unable to select one in non-interactive mode.");

function requireDatabase() {
  const id = /database_id = "([^"]*)"/.exec(config)?.[1];
  if (account.database !== id) fail(`The database ${id} could not be found [code: 7404]`);
}

const isBrowserAccount = config.includes('name = "berth-browser-account"');
const namesOf = (secrets) => Object.keys(secrets).map((name) => ({ name }));

const commands = {
  whoami: () => (account.accounts ? { accounts: account.accounts } : fail("You are not authenticated.")),
  "d1 list": () => (account.database ? [{ name: "berth", uuid: account.database }] : []),
  "d1 create berth": () => {
    if (account.database) fail("A database with that name already exists [code: 7502]");
    account.database = "11111111-2222-3333-4444-555555555555";
  },
  "d1 migrations apply DB": requireDatabase,
  "d1 delete berth": () => delete account.database,
  "r2 bucket info berth": () => {
    if (!account.hasR2) fail("Please enable R2 through the Cloudflare Dashboard. [code: 10042]");
    if (!account.bucket) fail("The specified bucket does not exist. [code: 10006]");
    return { name: "berth" };
  },
  "r2 bucket create berth": () => {
    account.bucket = [];
  },
  "r2 bucket delete berth": () => {
    if (account.bucket.length > 0) fail("The bucket you tried to delete is not empty [code: 10008]");
    delete account.bucket;
  },
  "browser list": () => (account.hasBrowsers ? [] : fail("Authentication error [code: 10000]")),
  "secret list": () => {
    if (isBrowserAccount)
      return account.browserAccount
        ? namesOf(account.browserAccount)
        : fail("This Worker does not exist. [code: 10007]");
    if (!account.secrets) fail('Worker "berth" not found. This Worker does not exist. [code: 10007]');
    return namesOf(account.secrets);
  },
  deploy: () => {
    const secretsFile = option("--secrets-file");
    const secrets = secretsFile && JSON.parse(readFileSync(secretsFile, "utf8"));
    if (isBrowserAccount) {
      account.browserAccount = { ...account.browserAccount, ...secrets };
    } else {
      requireDatabase();
      if (!account.bucket) fail("R2 bucket 'berth' not found [code: 10085]");
      account.secrets = { ...account.secrets, ...secrets };
    }
    const entry = { type: "deploy", targets: [account.url] };
    writeFileSync(
      process.env.WRANGLER_OUTPUT_FILE_PATH,
      `{"type":"wrangler-session"}\n${JSON.stringify(entry)}\n`,
    );
  },
  delete: () => {
    if (!args.includes("--force")) fail("Confirmation required");
    delete account[isBrowserAccount ? "browserAccount" : "secrets"];
  },
};

const run = commands[command] ?? (() => fail(`Unknown command: ${command}`));
const result = run();
if (result !== undefined && result !== true) console.log(JSON.stringify(result));
writeFileSync(file, JSON.stringify(account));
