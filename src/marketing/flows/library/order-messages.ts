import type { Tx } from '../../../db/pool.ts';
import { LANGUAGES, type Language } from '../../../messaging/consent/languages.ts';
import type { Rule, RuleGroup } from '../../../rules/language.ts';
import { readBrandKit } from '../../templates/brand/service.ts';
import { type CompileDesign, createOrderTemplates } from '../../templates/order-emails/service.ts';
import type { OrderEmail } from '../../templates/order-emails/texts.ts';
import { type Definition, EMPTY_DEFINITION, TRIGGER } from '../definition/definition.ts';
import type { DraftStep } from '../definition/steps.ts';
import { freeze } from '../definition/versions.ts';
import { insertFlow, updateFlow } from '../queries.ts';

const FLOWS: Readonly<Record<OrderEmail, { name: string; trigger: string }>> = {
  payment: { name: 'Payment reminder', trigger: 'payment_pending' },
  received: { name: 'Order received', trigger: 'order_placed' },
  shipped: { name: 'Order shipped', trigger: 'order_shipped' },
  delivered: { name: 'Order delivered', trigger: 'order_completed' },
  cancelled: { name: 'Order cancelled', trigger: 'order_cancelled' },
};

/**
 * Creates the active flows that tell customers about their orders, with their templates. A customer without a known language gets the
 * company's. Returns the ids of the flows.
 */
export async function createOrderMessages(
  tx: Tx,
  companyId: number,
  { language, compile, now }: { language: Language; compile: CompileDesign; now: Date },
): Promise<Record<OrderEmail, number>> {
  const brand = await readBrandKit(tx, companyId);
  const templates = await createOrderTemplates(tx, companyId, { brand, compile, now });
  const create = async (email: OrderEmail): Promise<number> => {
    const { name, trigger: triggerType } = FLOWS[email];
    // Imported orders have no origin, nor have events of other senders, such as a shop that writes to its customers itself.
    const mark = email === 'payment' ? 'payment_id' : 'origin';
    const definition = definitionOf(templates[email], language, mark);
    const flow = await insertFlow(tx, companyId, { name, triggerType, definition, now });
    await updateFlow(tx, companyId, { ...(await freeze(tx, companyId, flow, now)), status: 'active' });
    return flow.id;
  };
  return {
    payment: await create('payment'),
    received: await create('received'),
    shipped: await create('shipped'),
    delivered: await create('delivered'),
    cancelled: await create('cancelled'),
  };
}

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'German' };

/** @param mark the field that events of the shop itself have */
function definitionOf(templates: Record<Language, number>, standard: Language, mark: string): Definition {
  const others = LANGUAGES.filter((one) => one !== standard);
  const mail = (language: Language, column: number): DraftStep => ({
    step_id: language,
    type: 'send_email',
    name: `E-mail in ${LANGUAGE_NAMES[language]}`,
    config: { template_id: templates[language], transactional: true },
    position: { x: column * 280, y: 280 },
  });
  return {
    ...EMPTY_DEFINITION,
    trigger_conditions: { operator: 'and', rules: [{ field: mark, comparison: 'exists' }] },
    reentry: { mode: 'always', concurrent: true },
    steps: [
      {
        step_id: 'language',
        type: 'branch',
        name: "The customer's language",
        config: { paths: others.map((key) => ({ key, conditions: speaks(key) })) },
        position: { x: 0, y: 140 },
      },
      mail(standard, 0),
      ...others.map((language, i) => mail(language, i + 1)),
    ],
    connections: [
      { from: TRIGGER, to: 'language' },
      { from: 'language', branch: 'else', to: standard },
      ...others.map((language) => ({ from: 'language', branch: language, to: language })),
    ],
  };
}

/** By the properties that the public pages read as well: `de`, `de-AT`, `DE`. */
function speaks(language: Language): RuleGroup {
  const begins = (field: string): Rule[] =>
    [language, language.toUpperCase()].map((value) => ({ field, comparison: 'starts_with', value }));
  const byLocale: RuleGroup = {
    operator: 'and',
    rules: [
      { field: 'contact.properties.language', comparison: 'not_exists' },
      { operator: 'or', rules: begins('contact.properties.locale') },
    ],
  };
  return { operator: 'or', rules: [...begins('contact.properties.language'), byLocale] };
}
