import { type Requests, ref } from './requests.ts';
import { draftCampaign, type Ids, type SeededCompany } from './seed.ts';

/** A valid request for every endpoint of templates and campaigns. */

const freshTemplate = async ({ make }: SeededCompany): Promise<Ids> => ({
  template: (await make('marketing', 'POST', '/templates', { name: 'Fresh', content: '<p>Hello</p>' })).template_id,
});
const freshCampaign = async ({ make, mark, ids }: SeededCompany): Promise<Ids> => ({
  campaign: await draftCampaign(mark, ids, make),
});
const scheduled = async (company: SeededCompany): Promise<Ids> => {
  const { campaign } = await freshCampaign(company);
  const body = { scheduled_at: '2036-03-15 09:00:00' };
  await company.make('marketing', 'POST', `/campaigns/send/${campaign}`, body);
  return { campaign: campaign! };
};
const paused = async (company: SeededCompany): Promise<Ids> => {
  const { campaign } = await scheduled(company);
  await company.make('marketing', 'POST', `/campaigns/pause/${campaign}`);
  return { campaign: campaign! };
};
const COMPOSED = {
  audiences: [{ list_id: ref('list') }, { segment_id: ref('segment') }, { unopened_campaign_id: ref('campaign') }],
  exclude: [{ list_id: ref('list') }, { segment_id: ref('segment') }],
};
const CAMPAIGN = { name: 'New', type: 'email', subject: 'New' };

export const CAMPAIGNS: Requests = {
  'GET /templates': [{}],
  'POST /templates': [{ body: { name: 'New', content: '<p>New</p>' } }],
  'GET /templates/{id}': [{ of: 'template' }],
  'PATCH /templates/{id}': [{ of: 'template', body: { name: 'Newer' } }],
  'DELETE /templates/{id}': [{ of: 'template', before: freshTemplate }],
  'POST /templates/preview/{id}': [{ of: 'template', body: { contact_id: ref('contact') } }],
  'POST /templates/preview': [{ body: { content: '<p>{{ contact.first_name }}</p>', contact_id: ref('contact') } }],
  'GET /templates/variables': [{}],
  'POST /templates/test/{id}': [
    { of: 'template', body: { recipients: ['me@example.com'], contact_id: ref('contact') } },
  ],
  'GET /campaigns': [{}],
  'POST /campaigns': [
    { body: { ...CAMPAIGN, template_id: ref('template'), list_id: ref('list') } },
    { body: { ...CAMPAIGN, content: '<p>New</p>', segment_id: ref('segment') } },
    { body: { ...CAMPAIGN, content: '<p>New</p>', ...COMPOSED } },
    {
      body: {
        ...CAMPAIGN,
        content: '<p>New</p>',
        list_id: ref('list'),
        variants: [
          { key: 'a', weight: 1, template_id: ref('template') },
          { key: 'b', weight: 1 },
        ],
      },
    },
  ],
  'GET /campaigns/calendar': [{}],
  'GET /campaigns/{id}': [{ of: 'campaign' }],
  'PATCH /campaigns/{id}': [
    { of: 'draft_campaign', body: { template_id: ref('template'), list_id: ref('list') } },
    { of: 'campaign', body: { list_id: null, segment_id: ref('segment') }, before: freshCampaign },
    { of: 'draft_campaign', body: COMPOSED },
    {
      of: 'campaign',
      body: { variants: [{ key: 'a', weight: 1, template_id: ref('template') }] },
      before: freshCampaign,
    },
  ],
  'DELETE /campaigns/{id}': [{ of: 'campaign', before: freshCampaign }],
  'POST /campaigns/send/{id}': [{ of: 'campaign', before: freshCampaign }],
  'POST /campaigns/pause/{id}': [{ of: 'campaign', before: scheduled }],
  'POST /campaigns/resume/{id}': [{ of: 'campaign', before: paused }],
  'POST /campaigns/cancel/{id}': [{ of: 'campaign', before: scheduled }],
  'POST /campaigns/duplicate/{id}': [{ of: 'campaign' }],
  'POST /campaigns/resend/{id}': [{ of: 'campaign' }],
  'POST /campaigns/retry/{id}': [{ of: 'campaign', body: { include_unknown: true } }],
  'POST /campaigns/test/{id}': [
    { of: 'campaign', body: { recipients: ['me@example.com'], contact_id: ref('contact') } },
  ],
  'POST /campaigns/preview/{id}': [{ of: 'campaign', body: { contact_id: ref('contact') } }],
  'GET /campaigns/{id}/check': [{ of: 'campaign' }],
  'GET /campaigns/{id}/recipients': [{ of: 'campaign' }],
  'GET /campaigns/{id}/link-map': [{ of: 'campaign' }],
  'GET /campaigns/{id}/report': [{ of: 'campaign' }],
};
