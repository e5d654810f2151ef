import type { RetryPolicy } from "./curl-retry.ts";
import type { Invocation } from "./invocation.ts";
import { type OptionPattern, type ParsedOptions, UsageError } from "./options.ts";

/** How many redirects are followed where nothing else is said. */
const USUAL_REDIRECTS = 50;

/** How many are followed at all: what servers answer on the way is kept. */
const MOST_REDIRECTS = 200;

const MOST_RETRIES = 1000;

/** Options that do what they do with curl. */
const OPTIONS: readonly OptionPattern[] = [
  "A,user-agent=",
  "D,dump-header=",
  "F,form=",
  "G,get",
  "H,header=",
  "I,head",
  "J,remote-header-name",
  "L,location",
  "O,remote-name",
  "S,show-error",
  "T,upload-file=",
  "V,version",
  "X,request=",
  "b,cookie=",
  "c,cookie-jar=",
  "d,data=",
  "e,referer=",
  "f,fail",
  "g,globoff",
  "h,help=?",
  "i,include",
  "j,junk-session-cookies",
  "m,max-time=",
  "o,output=",
  "r,range=",
  "s,silent",
  "u,user=",
  "v,verbose",
  "w,write-out=",
  "z,time-cond=",
  ",compressed",
  ",create-dirs",
  ",data-ascii=",
  ",data-binary=",
  ",data-raw=",
  ",data-urlencode=",
  ",fail-early",
  ",fail-with-body",
  ",form-string=",
  ",json=",
  ",location-trusted",
  ",max-redirs=",
  ",oauth2-bearer=",
  ",output-dir=",
  ",post301",
  ",post302",
  ",post303",
  ",proto=",
  ",remote-name-all",
  ",retry=",
  ",retry-all-errors",
  ",retry-connrefused",
  ",retry-delay=",
  ",retry-max-time=",
  ",url=",
];

/** Options about connections, terminals and configuration files, none of which there are: they change nothing. */
const OPTIONS_WITHOUT_EFFECT: readonly OptionPattern[] = [
  "#,progress-bar",
  "0,http1.0",
  "1,tlsv1",
  "4,ipv4",
  "6,ipv6",
  "N,no-buffer",
  "k,insecure",
  "q,disable",
  ",basic",
  ",connect-timeout=",
  ",http1.1",
  ",http2",
  ",http3",
  ",keepalive-time=",
  ",limit-rate=",
  ",no-keepalive",
  ",no-progress-meter",
  ",no-sessionid",
  ",noproxy=",
  ",proto-default=",
  ",ssl-reqd",
  ",styled-output",
  ",tcp-nodelay",
  ",tls-max=",
  ",tlsv1.0",
  ",tlsv1.1",
  ",tlsv1.2",
  ",tlsv1.3",
];

/** Options that a script relies on, so that going on without their effect would be wrong; with what to call them. */
const REFUSED: readonly { pattern: OptionPattern; feature: string }[] = [
  { pattern: "C,continue-at=", feature: "resuming a transfer" },
  { pattern: "E,cert=", feature: "a client certificate" },
  { pattern: "K,config=", feature: "a configuration file" },
  { pattern: "Z,parallel", feature: "parallel transfer" },
  { pattern: "n,netrc", feature: ".netrc" },
  { pattern: "x,proxy=", feature: "a proxy" },
  { pattern: ",anyauth", feature: "authentication other than Basic" },
  { pattern: ",aws-sigv4=", feature: "authentication other than Basic" },
  { pattern: ",cacert=", feature: "a certificate authority of one's own" },
  { pattern: ",connect-to=", feature: "another host than the URL's" },
  { pattern: ",digest", feature: "authentication other than Basic" },
  { pattern: ",doh-url=", feature: "another resolver" },
  { pattern: ",interface=", feature: "a network interface" },
  { pattern: ",key=", feature: "a client certificate" },
  { pattern: ",negotiate", feature: "authentication other than Basic" },
  { pattern: ",next", feature: "options for some of the URLs" },
  { pattern: ",ntlm", feature: "authentication other than Basic" },
  { pattern: ",resolve=", feature: "another address than the resolver's" },
  { pattern: ",socks5=", feature: "a proxy" },
  { pattern: ",socks5-hostname=", feature: "a proxy" },
  { pattern: ",unix-socket=", feature: "a Unix socket" },
];

const PATTERNS = [...OPTIONS, ...OPTIONS_WITHOUT_EFFECT, ...REFUSED.map(({ pattern }) => pattern)];

/** @throws UsageError also for what this curl cannot do and does not ignore. */
export function readCurlOptions(invocation: Invocation): ParsedOptions {
  const options = invocation.options(PATTERNS);
  for (const { pattern, feature } of REFUSED) {
    const [letter = "", long = ""] = pattern.replace("=", "").split(",");
    if (options.has(letter || long)) {
      throw new UsageError(`option --${long}: ${feature} is not available here`, { hint: false });
    }
  }
  return options;
}

/** What bounds a transfer. */
export interface TransferLimits {
  /** Of one attempt, in milliseconds. */
  timeMs: number;
  redirects: number;
  retry: RetryPolicy;
}

/** @throws UsageError where a value is no number. */
export function readLimits(options: ParsedOptions): TransferLimits {
  const seconds = numberOption(options, "m") ?? 0;
  const redirects = numberOption(options, "max-redirs") ?? USUAL_REDIRECTS;
  numberOption(options, "connect-timeout");
  return {
    timeMs: seconds > 0 ? seconds * 1000 : Number.POSITIVE_INFINITY,
    redirects: redirects < 0 ? MOST_REDIRECTS : Math.min(redirects, MOST_REDIRECTS),
    retry: {
      retries: Math.min(numberOption(options, "retry") ?? 0, MOST_RETRIES),
      delay: numberOption(options, "retry-delay") || undefined,
      maxTime: numberOption(options, "retry-max-time") || undefined,
      ofAllErrors: options.has("retry-all-errors"),
      ofRefusedConnections: options.has("retry-connrefused"),
    },
  };
}

function numberOption(options: ParsedOptions, key: string): number | undefined {
  const value = options.value(key);
  if (value === undefined) return undefined;
  if (!/^-?\d+(\.\d*)?$/.test(value)) {
    const name = key.length === 1 ? `-${key}` : `--${key}`;
    throw new UsageError(`option ${name}: expected a proper numerical parameter`);
  }
  return Number(value);
}
