import { ERRORS, type ErrorCode } from '../src/errors.ts';
import { adminStatus } from '../src/http/api/surfaces/admin.ts';
import { commerceStatus } from '../src/http/api/surfaces/commerce.ts';
import { marketingStatus } from '../src/http/api/surfaces/marketing.ts';

const INTRODUCTION = `# Errors

Every error that the APIs return, by its code. \`node release/error-catalogue.ts > docs/errors.md\` makes this page from \`src/errors.ts\`.

The commerce API has the code in \`error.details.reason\`, beside \`error.message\` and \`error.code\` (the HTTP status):

\`\`\`json
{
  "success": false,
  "error": {
    "message": "email is required",
    "code": 422,
    "details": {
      "reason": "validation_failed",
      "fields": [{ "field": "email", "code": "required", "message": "email is required" }],
      "request_id": "0f9c2a4e-7d1b-4c55-9a33-2f1f6f0f8f11"
    }
  }
}
\`\`\`

The marketing API has one word for each status in \`error\` (\`bad_request\`, \`unauthorized\`, \`not_found\`, \`rate_limit_exceeded\`,
\`internal_error\`), the status in \`code\`, and the invalid fields in \`details\`:

\`\`\`json
{
  "error": "bad_request",
  "code": 400,
  "message": "event_type is required",
  "details": [{ "field": "event_type", "message": "event_type is required" }]
}
\`\`\`

A response with status 429 has \`Retry-After\` in seconds; so has a 500 with \`database_unavailable\`. Every response has \`X-Request-Id\`.

| code | commerce | marketing | when | what to do |
| ---- | -------- | --------- | ---- | ---------- |
`;

const ADMIN = `
## Of the admin app

Its API, for people who are signed in, has the code in \`error\`. It shares most codes with the marketing API; these are its own:

| code | status | when | what to do |
| ---- | ------ | ---- | ---------- |
`;

/** The page `docs/errors.md`. */
export function errorCatalogue(): string {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const isAdmins = (code: ErrorCode): boolean => 'admin' in ERRORS[code];
  const row = (code: ErrorCode, statuses: number[]): string =>
    `| ${[`\`${code}\``, ...statuses, ERRORS[code].when, ERRORS[code].fix].join(' | ')} |\n`;
  const shared = codes.filter((code) => !isAdmins(code));
  const rows = shared.map((code) => row(code, [commerceStatus(code), marketingStatus(code)]));
  const admins = codes.filter(isAdmins).map((code) => row(code, [adminStatus(code)]));
  return [INTRODUCTION, ...rows, ADMIN, ...admins].join('');
}

if (import.meta.main) process.stdout.write(errorCatalogue());
