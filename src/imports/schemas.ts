import Type, { type Static } from 'typebox';
import { Id, Nullable, OneOf, Trimmed } from '../lib/schemas.ts';
import { CONSENT_STATES } from '../recipients/consent.ts';
import { MAX_COLUMNS } from './csv/rows.ts';
import { ENCODINGS } from './csv/text.ts';
import { KINDS } from './formats/format.ts';
import { FORMATS } from './formats/registry.ts';
import { DATE_ORDERS } from './readings/dates.ts';
import { NOTICE_CODES } from './readings/notices.ts';
import { SEPARATORS } from './readings/numbers.ts';
import { DECIDED_BY, READING_KINDS } from './readings/readings.ts';

const Moment = Nullable(Type.String({ format: 'date-time' }));

export const STATUSES = [
  'uploading',
  'checking',
  'checked',
  'running',
  'done',
  'undoing',
  'undone',
  'failed',
  'cancelled',
] as const;
export type ImportStatus = (typeof STATUSES)[number];

export const FORMAT_NAMES = FORMATS.map(({ name }) => name);

export const ImportFormat = Type.Object({
  name: Type.String(),
  title: Type.String(),
  kind: OneOf(KINDS),
  fields: Type.Array(Type.String(), { description: 'Fields that a column can be mapped to' }),
  columns: Type.Array(Type.Object({ column: Type.String(), field: Type.String() })),
});
export type ImportFormat = Static<typeof ImportFormat>;

const Consent = OneOf(CONSENT_STATES);

/** Options for what the file does not say. */
export const ImportOptions = Type.Object({
  mapping: Type.Optional(
    Type.Array(Nullable(Type.String({ maxLength: 120 })), {
      maxItems: MAX_COLUMNS,
      description: 'The field of each column, null to leave it out; guessed from the headers where absent',
    }),
  ),
  email_consent: Type.Optional(
    Type.Unsafe<Static<typeof Consent>>({ ...Consent, description: 'Of people for whom the file says nothing' }),
  ),
  sms_consent: Type.Optional(Consent),
  list_id: Type.Optional(Id),
  tags: Type.Optional(Type.Array(Trimmed({ minLength: 1, maxLength: 100 }), { maxItems: 20 })),
  untracked_stock: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description:
        'Stock of new or sold-out products that the service sells without counting them, which are counted from then on; without it they are not tracked here either',
    }),
  ),
  only_new: Type.Optional(Type.Boolean({ description: 'Records that exist stay as they are' })),
  variants: Type.Optional(
    OneOf(['grouped', 'separate'], {
      description:
        'Of products: `grouped`, the default, makes the variants of a product those of one parent; with `separate`, each is a product of its own',
    }),
  ),
  date_order: Type.Optional(
    OneOf(DATE_ORDERS, { description: 'Of 03/04/2026, in every column; found from the values of each where absent' }),
  ),
  decimal_separator: Type.Optional(
    OneOf(SEPARATORS, { description: 'Of 1.234, in every column; found from the values of each where absent' }),
  ),
  time_zone: Type.Optional(
    Trimmed({
      minLength: 1,
      maxLength: 64,
      description: "Of times that name no offset; the company's where absent, UTC for Mailchimp and Klaviyo",
    }),
  ),
  encoding: Type.Optional(OneOf(ENCODINGS, { description: 'UTF-8 unless the file begins with a byte order mark' })),
});
export type ImportOptions = Static<typeof ImportOptions>;

export const ImportReading = Type.Object(
  {
    column: Nullable(Type.String()),
    field: Type.String(),
    kind: OneOf(READING_KINDS),
    value: Type.String({
      examples: ['day_first'],
      description: 'day_first or month_first, point or comma, or the name of a time zone',
    }),
    decided_by: OneOf(DECIDED_BY, {
      description: '`default` where the values admit another reading as well: choose it by the option of that name',
    }),
    example: Nullable(
      Type.String({ examples: ['03/04/2026'], description: 'The first value that admits another reading' }),
    ),
  },
  { description: 'How the values of a column are read' },
);

const Count = Type.Integer({ minimum: 0 });

export const ImportNotice = Type.Object({
  code: OneOf(NOTICE_CODES, {
    description:
      '`column_not_kept`: a column that no field takes, with its filled cells; `stock_not_counted`: products that are sold without a stock; `sku_repeated`: rows whose SKU another row keeps; `refunded`: orders of which money was returned; `order_without_email`: orders without an e-mail address, which are refused',
  }),
  column: Nullable(Type.String()),
  count: Count,
});

export const Import = Type.Object({
  id: Id,
  format: OneOf(FORMAT_NAMES),
  kind: OneOf(KINDS),
  file_name: Type.String(),
  status: OneOf(STATUSES),
  bytes: Count,
  chunks: Count,
  options: ImportOptions,
  header: Type.Array(Type.String(), { description: 'The columns of the file, once it was checked' }),
  mapping: Type.Array(Nullable(Type.String())),
  readings: Type.Array(ImportReading, { description: 'Of dates and numbers, once the file was looked through' }),
  notices: Type.Array(ImportNotice, {
    description: 'Data of the file that will not be imported, after the check',
  }),
  total: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'Rows of the file, known once checked' }),
  position: Type.Integer({ description: 'Rows of the check or the run that are done' }),
  created: Count,
  updated: Count,
  unchanged: Count,
  skipped: Count,
  refused: Count,
  suppressed: Type.Integer({ description: 'People who get no marketing: their address is suppressed' }),
  undone: Type.Integer({ description: 'By an undo: records removed or restored' }),
  kept: Type.Integer({ description: 'By an undo: records left alone, since they were changed or used' }),
  error: Nullable(Type.String()),
  created_at: Type.String({ format: 'date-time' }),
  finished_at: Moment,
  undo_until: Moment,
});
export type Import = Static<typeof Import>;

export const ImportPreview = Type.Object({
  header: Type.Array(Type.String()),
  mapping: Type.Array(Nullable(Type.String()), { description: 'The field that each column seems to be' }),
  custom_fields: Type.Array(Type.Object({ field: Type.String(), name: Type.String() }), {
    description: 'Fields for values of custom fields, to which a column can be mapped beside those of the format',
  }),
  sample: Type.Array(Type.Array(Type.String()), { description: 'The first rows' }),
  needs_consent: Type.Boolean({ description: 'No column says who agreed to marketing: `email_consent` must be given' }),
});
export type ImportPreview = Static<typeof ImportPreview>;

export const ImportFinding = Type.Object({
  phase: OneOf(['check', 'run', 'undo']),
  row: Type.Integer({ description: 'As a spreadsheet counts: the header is row 1' }),
  column: Nullable(Type.String()),
  field: Nullable(Type.String()),
  reason: Type.String(),
  cells: Nullable(Type.Array(Type.String())),
});
export type ImportFinding = Static<typeof ImportFinding>;
