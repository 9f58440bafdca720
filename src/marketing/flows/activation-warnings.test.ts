import { expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { step } from './definition/testing-graphs.ts';

const server = testServer();

test('activating a flow warns of another active one with its trigger and of what its e-mails leave empty', async () => {
  const shop = await server.company();
  const design = { blocks: [{ type: 'coupon' }, { type: 'button', text: 'Back to the cart' }] };
  const { template_id } = (await shop.marketing('POST', '/templates', { name: 'T', subject: 'S', design })).body;
  const flowOf = async (name: string, steps: object[]): Promise<number> => {
    const ids = steps.map((one) => (one as { step_id: string }).step_id);
    const connections = ids.map((to, i) => ({ from: ids[i - 1] ?? 'trigger', to }));
    const body = { name, trigger_type: 'cart_abandoned', steps, connections };
    const made = await shop.marketing('POST', '/flows', body);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return made.body.flow_id;
  };
  const first = await flowOf('First', [step('bill', 'send_email', { template_id, transactional: true })]);
  const alone = (await shop.marketing('POST', `/flows/activate/${first}`)).body;
  expect([alone.status, alone.warnings]).toEqual(['active', []]);

  const second = await flowOf('Second', [
    step('mail', 'send_email', { template_id }),
    step('own', 'send_email', { subject: 'S', content: '<p><a href="">Shop</a></p>' }),
  ]);
  const { status, body } = await shop.marketing('POST', `/flows/activate/${second}`);
  expect([status, body.status]).toEqual([200, 'active']);
  expect(body.warnings).toMatchObject([
    { code: 'same_trigger', step_id: null, detail: 'First' },
    { code: 'empty_coupon', step_id: 'mail', detail: null },
    { code: 'button_without_link', step_id: 'mail', detail: 'Back to the cart' },
    { code: 'no_postal_address', step_id: 'mail', detail: null },
    { code: 'empty_link', step_id: 'own', detail: null },
  ]);
  // An edit of an active flow, and a flow that is read, come without.
  expect((await shop.marketing('GET', `/flows/${second}`)).body).not.toHaveProperty('warnings');
  expect((await shop.marketing('PATCH', `/flows/${second}`, { name: 'Other' })).body).not.toHaveProperty('warnings');
});
