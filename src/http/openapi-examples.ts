import type { JsonSchema } from './plain-schema.ts';

/** What fields of these names look like; where the schema forbids it, the example is made from the schema. */
const BY_NAME: Record<string, unknown> = {
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  phone: '+4930901820',
  name: 'Blue mug',
  slug: 'blue-mug',
  sku: 'MUG-1',
  price: 12.5,
  description: 'Holds a third of a litre.',
  currency: 'EUR',
  password: 'correct horse battery',
  shipping_address: 'Unter den Linden 1',
  shipping_city: 'Berlin',
  shipping_state: 'BE',
  shipping_zip: '10117',
  shipping_country: 'DE',
  country: 'DE',
  state: 'BE',
  product_name: 'Blue mug',
  promo_code: 'SPRING10',
  code: 'SPRING10',
  tracking_number: '00340434161094021501',
  reason: 'too much tea',
  url: 'https://shop.example.com/mug.jpg',
  allowed_origin: 'https://shop.example.com',
  redirect_url: 'https://shop.example.com/welcome',
  event_type: 'product_viewed',
  trigger_type: 'order_placed',
  rules: [{ field: 'email', comparison: 'ends_with', value: '@example.com' }],
  event_data: { email: 'ada@example.com', product_id: '7', product_name: 'Blue mug' },
  external_id: 'c-1001',
  source: 'shop',
  subject: 'Your mug is on its way',
  preview_text: 'It left us today',
  content: '<p>Hello {{ contact.first_name }}</p>',
  rate: 0.19,
  ip: '203.0.113.7',
  timezone: 'Europe/Berlin',
  // These lie ahead of whoever tries the example.
  start_date: '2036-03-15',
  next_billing_date: '2036-03-15',
  resume_on: '2036-03-15',
  scheduled_at: '2036-03-15 09:00:00',
};

/** A value that the schema accepts, as far as its keywords tell; undefined where they do not. */
export function exampleOf(schema: JsonSchema, name = ''): unknown {
  if ('const' in schema) return schema.const;
  const named = BY_NAME[name];
  if (named !== undefined && accepts(schema, named)) return named;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if ('default' in schema) return schema.default;
  const variants = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (variants !== undefined) return exampleOf(variants[0]!, name);
  switch (typesOf(schema)[0]) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(schema.items as JsonSchema, name.replace(/s$/, ''))];
    case 'integer':
    case 'number':
      return Math.max(1, (schema.minimum as number | undefined) ?? 1);
    case 'boolean':
      return true;
    case 'string':
      return textOf(schema, name);
    default:
      return null;
  }
}

function objectOf(schema: JsonSchema): Record<string, unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  return Object.fromEntries(properties.map(([name, inner]) => [name, exampleOf(inner, name)]));
}

function textOf(schema: JsonSchema, name: string): string {
  if (schema.format === 'date') return '2026-03-15';
  if (schema.format === 'date-time') return '2026-03-15T12:00:00.000Z';
  if (schema.format === 'uri') return 'https://shop.example.com/';
  const isMoment = /(_at|^at|^from|^to|_from|_to|_until)$/.test(name);
  const candidates = [
    ...(isMoment ? ['2026-03-15 12:00:00'] : []),
    name.replaceAll('_', ' '),
    name,
    'a',
    'A1',
    'mug',
    '1',
    '12:00',
    '10117',
    'first_name',
  ];
  return candidates.find((candidate) => accepts(schema, candidate)) ?? name.padEnd(Number(schema.minLength ?? 0), 'x');
}

function isOfFormat(format: unknown, value: string): boolean {
  return format === 'date' ? /^\d{4}-\d\d-\d\d$/.test(value) : format === 'uri' && value.startsWith('https://');
}

function typesOf(schema: JsonSchema): string[] {
  return Array.isArray(schema.type) ? (schema.type as string[]) : [schema.type as string];
}

/** Whether the keywords of texts, numbers and sets allow the value. */
function accepts(schema: JsonSchema, value: unknown): boolean {
  const types = typesOf(schema);
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if (typeof value === 'string') {
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern = '' } = schema as Record<string, never>;
    const fits = value.length >= minLength && value.length <= maxLength && new RegExp(pattern, 'u').test(value);
    return types.includes('string') && fits && (schema.format === undefined || isOfFormat(schema.format, value));
  }
  if (typeof value === 'number') {
    const { minimum = value, maximum = value } = schema as Record<string, never>;
    return (
      (types.includes('number') || (types.includes('integer') && Number.isInteger(value))) &&
      value >= minimum &&
      value <= maximum
    );
  }
  if (Array.isArray(value)) return types.includes('array');
  return types.includes('object') && schema.properties === undefined;
}
