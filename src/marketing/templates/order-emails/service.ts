import type { Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { AppError } from '../../../errors.ts';
import { LANGUAGES, type Language } from '../../../messaging/consent/languages.ts';
import type { BrandKit } from '../brand/contract.ts';
import type { Design } from '../design/schema.ts';
import { insertTemplate } from '../queries.ts';
import { ORDER_TEXTS, orderEmailDesign } from './design.ts';
import { ORDER_EMAILS, type OrderEmail } from './texts.ts';

/** The ids of the templates, by e-mail and language. */
export type OrderTemplates = Record<OrderEmail, Record<Language, number>>;

/** Compiles a design for the company; null if that takes too long. */
export type CompileDesign = (companyId: number, design: Design) => Promise<string | null>;

/** Creates the templates of the e-mails about orders, in each language. */
export async function createOrderTemplates(
  tx: Tx,
  companyId: number,
  { brand, compile, now }: { brand: BrandKit; compile: CompileDesign; now: Date },
): Promise<OrderTemplates> {
  const create = async (email: OrderEmail, language: Language): Promise<number> => {
    const { name, subject, preview } = ORDER_TEXTS[language].emails[email];
    const design = orderEmailDesign(email, language, brand);
    const content = await compiled(compile, companyId, design);
    const row = { name, channel: 'email', subject, preview_text: preview, content, design } as const;
    return (await insertTemplate(tx, companyId, row, now)).id;
  };
  const inEach = async (email: OrderEmail): Promise<Record<Language, number>> => ({
    en: await create(email, 'en'),
    de: await create(email, 'de'),
  });
  return {
    payment: await inEach('payment'),
    received: await inEach('received'),
    shipped: await inEach('shipped'),
    delivered: await inEach('delivered'),
    cancelled: await inEach('cancelled'),
  };
}

/** Gives the e-mails about orders a changed brand kit, except those whose blocks somebody has edited. */
export async function rebrandOrderTemplates(
  tx: Tx,
  companyId: number,
  { before, after, compile, now }: { before: BrandKit; after: BrandKit; compile: CompileDesign; now: Date },
): Promise<void> {
  const all = ORDER_EMAILS.flatMap((email) => LANGUAGES.map((language) => ({ email, language })));
  const changes = await Promise.all(
    all.map(async ({ email, language }) => {
      const design = orderEmailDesign(email, language, after);
      const content = await compiled(compile, companyId, design);
      const { name } = ORDER_TEXTS[language].emails[email];
      return { name, known: orderEmailDesign(email, language, before), design, content };
    }),
  );
  await tx.query(sql`
    update templates t set design = v.design, content = v.content, updated_at = ${now}
    from json_to_recordset(${JSON.stringify(changes)}::json) as v (name text, known jsonb, design jsonb, content text)
    where t.company_id = ${companyId} and t.name = v.name and t.design = v.known and v.known <> v.design`);
}

async function compiled(compile: CompileDesign, companyId: number, design: Design): Promise<string> {
  const content = await compile(companyId, design);
  if (content === null) {
    throw new AppError('rate_limited', 'The e-mails about orders could not be made in time', { retry_after: 5 });
  }
  return content;
}
