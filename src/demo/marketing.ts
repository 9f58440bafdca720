import { createCampaignsService } from '../marketing/campaigns/service.ts';
import { INITIAL_BY_API } from '../marketing/contacts/consent/states.ts';
import { resolveContacts } from '../marketing/contacts/service.ts';
import type { NewFlow } from '../marketing/flows/contract.ts';
import { createFlowsService } from '../marketing/flows/service.ts';
import { changeMemberships, createList } from '../marketing/lists/service.ts';
import { createSegment } from '../marketing/segments/service.ts';
import { FOR_REGULARS, HOW_DO_YOU_BREW, HOW_WAS_IT, NEW_HARVEST, THANK_YOU, THIRD_BAG, WELCOME } from './letters.ts';
import { HOUR_MS, type Making, OPENED_HOURS_AGO } from './making.ts';
import type { DemoCustomer } from './people.ts';

const ORDERED = { event_type: 'order_placed' };

/** A new customer is greeted, and asked three days later unless an order came first. */
const WELCOME_FLOW: NewFlow = {
  name: 'Welcome',
  trigger_type: 'customer_created',
  status: 'active',
  reentry: { mode: 'once', concurrent: false },
  goal: ORDERED,
  steps: [
    { step_id: 'welcome', type: 'send_email', name: 'Greet', config: WELCOME, position: { x: 0, y: 140 } },
    {
      step_id: 'three_days',
      type: 'delay',
      name: 'Wait three days',
      config: { value: 3, unit: 'days' },
      position: { x: 0, y: 280 },
    },
    { step_id: 'ask', type: 'send_email', name: 'Ask and offer', config: HOW_DO_YOU_BREW, position: { x: 0, y: 420 } },
  ],
  connections: [
    { from: 'trigger', to: 'welcome' },
    { from: 'welcome', to: 'three_days' },
    { from: 'three_days', to: 'ask' },
  ],
};

/** An order is thanked for at once; nine days later a large one is rewarded, and the others are asked how it was. */
const POST_PURCHASE_FLOW: NewFlow = {
  name: 'After the order',
  trigger_type: 'order_placed',
  status: 'active',
  reentry: { mode: 'always', concurrent: true },
  steps: [
    {
      step_id: 'thank',
      type: 'send_email',
      name: 'Say thank you',
      config: { ...THANK_YOU, transactional: true },
      position: { x: 0, y: 140 },
    },
    {
      step_id: 'nine_days',
      type: 'delay',
      name: 'Wait nine days',
      config: { value: 9, unit: 'days' },
      position: { x: 0, y: 280 },
    },
    {
      step_id: 'by_total',
      type: 'branch',
      name: 'A large order?',
      config: {
        paths: [
          {
            key: 'large',
            conditions: {
              operator: 'and',
              rules: [{ field: 'total', comparison: 'greater_than_or_equal', value: 80 }],
            },
          },
        ],
      },
      position: { x: 0, y: 420 },
    },
    { step_id: 'reward', type: 'send_email', name: 'Give something', config: THIRD_BAG, position: { x: -160, y: 560 } },
    { step_id: 'ask', type: 'send_email', name: 'Ask how it was', config: HOW_WAS_IT, position: { x: 160, y: 560 } },
  ],
  connections: [
    { from: 'trigger', to: 'thank' },
    { from: 'thank', to: 'nine_days' },
    { from: 'nine_days', to: 'by_total' },
    { from: 'by_total', branch: 'large', to: 'reward' },
    { from: 'by_total', branch: 'else', to: 'ask' },
  ],
};

/**
 * The marketing side: customers as contacts, those who agreed on a list, three flows that run, a segment and two
 * campaigns. Gives the flow that an order starts, and the people's contacts.
 */
export async function makeMarketing(
  making: Making,
  people: DemoCustomer[],
  customerIds: number[],
): Promise<{ flowId: number; contactIds: number[] }> {
  const { app, tx, at } = making;
  const opened = at(OPENED_HOURS_AGO);
  const { companyId } = opened;
  const list = await createList(app.db, opened, {
    name: 'Newsletter',
    description: 'Once a month: what is new on the shelf, and one recipe.',
  });
  const contactIds: number[] = [];
  for (const [i, person] of people.entries()) {
    const joined = at(person.joinedDaysAgo * 24).now;
    const key = {
      email: person.email,
      externalId: String(customerIds[i]),
      firstName: person.firstName,
      lastName: person.lastName,
      source: 'shop',
      acceptsMarketing: person.acceptsMarketing,
    };
    const [contact] = await resolveContacts(tx, companyId, [key], joined, {
      suppressions: app.messaging.suppressions,
      initial: INITIAL_BY_API,
    });
    if (!contact?.ok) throw new Error(`The demo shop's customer ${person.email} became no contact`);
    const { contactId } = contact.value;
    contactIds.push(contactId);
    if (!person.acceptsMarketing) continue;
    await changeMemberships(tx, companyId, [{ contactId, listId: list.list_id, action: 'add' }], joined);
  }
  const flows = createFlowsService({
    ...app,
    knowsType: app.events.knowsType,
    // The texts are the demo's own, and are known to render.
    syntaxFailures: async (_, templates) => templates.map(() => null),
  });
  await flows.create(opened, WELCOME_FLOW);
  const cart = await flows.createFromLibrary(opened, 'abandoned-cart');
  await flows.move(opened, cart.flow_id, 'activate');
  const thanks = await flows.create(opened, POST_PURCHASE_FLOW);
  await makeCampaigns(making, list.list_id);
  return { flowId: thanks.flow_id, contactIds };
}

/** One campaign that goes out with the first start, and one that is scheduled for those who order often. */
async function makeCampaigns({ app, shop, now, at }: Making, listId: number): Promise<void> {
  const today = at(0);
  const regulars = await createSegment(
    app.db,
    at(OPENED_HOURS_AGO),
    {
      name: 'Regulars',
      conditions: {
        operator: 'and',
        rules: [{ field: 'events.order_placed.count', comparison: 'greater_than_or_equal', value: 5, within_days: 90 }],
      },
    },
    app.events.knowsType,
  );
  const campaigns = createCampaignsService({
    db: app.db,
    exponentOf: async () => shop.exponent,
    // It looks for the company from outside this transaction; what it would check, the demo shop's test does.
    previewer: { ...app.messaging.previewer, check: async () => {} },
    // Where something is missing, the worker pauses the campaign: the demo shop is made all the same.
    missing: [],
  });
  const harvest = await campaigns.createCampaign(today, {
    name: 'New harvest',
    type: 'email',
    list_id: listId,
    ...NEW_HARVEST,
  });
  await campaigns.sendCampaign(today, harvest.campaign_id, {});
  await campaigns.createCampaign(today, {
    name: 'For regulars',
    type: 'email',
    segment_id: regulars.segment_id,
    scheduled_at: new Date(now.getTime() + 5 * 24 * HOUR_MS).toISOString(),
    ...FOR_REGULARS,
  });
}
