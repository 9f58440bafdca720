import { createCampaignsService } from '../marketing/campaigns/service.ts';
import { resolveContacts } from '../marketing/contacts/service.ts';
import { createFlowsService, createOrderMessages, findFlowOfSegment } from '../marketing/flows/service.ts';
import { changeMemberships, createListsService } from '../marketing/lists/service.ts';
import { createSegmentsService } from '../marketing/segments/service.ts';
import { type DemoContext, HOUR_MS, OPENED_HOURS_AGO } from './context.ts';
import { FOR_REGULARS, NEW_HARVEST } from './emails.ts';
import { POST_PURCHASE_FLOW, WELCOME_FLOW } from './flows.ts';
import type { DemoCustomer } from './people.ts';

/**
 * Creates the marketing side: customers as contacts, subscribers on a list, active flows, a segment and two campaigns.
 * Returns the flow that an order starts, and the contacts in the order of `people`.
 */
export async function createMarketing(
  context: DemoContext,
  people: DemoCustomer[],
  customerIds: number[],
): Promise<{ flowId: number; contactIds: number[] }> {
  const { deps, db, tx, at } = context;
  const opened = at(OPENED_HOURS_AGO);
  const { companyId } = opened;
  const list = await createListsService({ db }).createList(opened, {
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
    };
    const [contact] = await resolveContacts(tx, companyId, [key], joined, {
      suppressions: deps.messaging.suppressions,
      initialOf: () => ({ email: person.acceptsMarketing ? 'subscribed' : 'never', sms: 'never', source: 'shop' }),
    });
    if (!contact?.ok) throw new Error(`The demo shop's customer ${person.email} did not become a contact`);
    const { contactId } = contact.value;
    contactIds.push(contactId);
    if (!person.acceptsMarketing) continue;
    await changeMemberships(tx, companyId, [{ contactId, listId: list.list_id, action: 'add' }], joined);
  }
  const flows = createFlowsService({
    db,
    versions: deps.versions,
    config: deps.config,
    isOwnSender: async () => true,
    knowsType: deps.events.knowsType,
    // The demo's own templates are known to render.
    syntaxFailures: async (_, templates) => templates.map(() => null),
  });
  await flows.create(opened, WELCOME_FLOW, null);
  const cart = await flows.createFromLibrary(opened, 'abandoned-cart');
  await flows.changeStatus(opened, cart.flow_id, 'activate');
  await flows.create(opened, POST_PURCHASE_FLOW, null);
  const { received } = await createOrderMessages(tx, companyId, {
    language: 'en',
    compile: deps.messaging.renderer.compileDesign,
    now: opened.now,
  });
  await createCampaigns(context, list.list_id);
  return { flowId: received, contactIds };
}

/** One campaign that is sent at the first start, and one scheduled for customers who order often. */
async function createCampaigns({ deps, db, shop, now, at }: DemoContext, listId: number): Promise<void> {
  const today = at(0);
  const segments = createSegmentsService({ db, events: deps.events, findFlowOfSegment });
  const regulars = await segments.createSegment(at(OPENED_HOURS_AGO), {
    name: 'Regulars',
    conditions: {
      operator: 'and',
      rules: [{ field: 'events.order_placed.count', comparison: 'greater_than_or_equal', value: 5, within_days: 90 }],
    },
  });
  const campaigns = createCampaignsService({
    db,
    exponentOf: async () => shop.exponent,
    // Only reports need it.
    attributionDaysOf: async () => 5,
    timeZoneOf: async () => shop.timeZone,
    // The real check would read the company outside of this transaction. The demo shop's test makes the same check.
    previewer: { ...deps.messaging.previewer, check: async () => {} },
    warmUpOf: async () => null,
    isOwnSender: async () => true,
    // If a setting is missing, the worker pauses the campaign; the demo shop is created all the same.
    missingFor: async () => [],
  });
  const harvest = await campaigns.createCampaign(
    today,
    {
      name: 'New harvest',
      type: 'email',
      list_id: listId,
      ...NEW_HARVEST,
    },
    null,
  );
  await campaigns.sendCampaign(today, harvest.campaign_id, {}, null);
  await campaigns.createCampaign(
    today,
    {
      name: 'For regulars',
      type: 'email',
      segment_id: regulars.segment_id,
      scheduled_at: new Date(now.getTime() + 5 * 24 * HOUR_MS).toISOString(),
      ...FOR_REGULARS,
    },
    null,
  );
}
