import { ok } from '../../api/client.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import type { Values } from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { contentFields } from '../templates/Form.tsx';
import { CampaignPreview } from './CampaignPreview.tsx';
import { NO_OPTIONS, optionField, optionGroups, optionsBody, optionValues } from './options.ts';
import { type Campaign, type Choices, useCampaign, useChoices } from './queries.ts';

/** `list:3` or `segment:7`. */
const audienceOf = ({ list_id, segment_id }: Campaign): string =>
  list_id === null ? (segment_id === null ? '' : `segment:${segment_id}`) : `list:${list_id}`;

const hasNoTemplate = (values: Values): boolean => values.template_id === '';

function groups({ lists, segments, templates }: Choices, channel: string | null): FieldGroup[] {
  const none = { value: '', label: '–' };
  const ofChannel = (values: Values) => templates.filter((one) => one.channel === (channel ?? values.channel));
  return [
    {
      title: t('section.details'),
      fields: [
        { name: 'name', label: t('field.name'), type: 'text', required: true, help: t('campaign.name.help') },
        ...(channel === null
          ? [
              {
                ...{ name: 'channel', label: t('template.channel'), type: 'choice' as const },
                choices: (['email', 'sms'] as const).map((value) => ({ value, label: tOf('channel', value) })),
              },
            ]
          : []),
        {
          ...{ name: 'audience', label: t('campaign.audience'), type: 'choice' },
          choices: [
            none,
            ...lists.map(({ list_id, name }) => ({ value: `list:${list_id}`, label: t('campaign.list', { name }) })),
            ...segments.map(({ segment_id, name }) => ({
              value: `segment:${segment_id}`,
              label: t('campaign.segment', { name }),
            })),
          ],
        },
        {
          ...{ name: 'from', label: t('campaign.from'), type: 'text', help: t('campaign.from.help') },
          when: (values) => (channel ?? values.channel) === 'email',
        },
      ],
    },
    {
      title: t('template.content'),
      fields: [
        ...(['email', 'sms'] as const)
          .filter((one) => channel === null || channel === one)
          .map((one) => ({
            ...{ name: 'template_id', label: t('campaign.template'), type: 'choice' as const },
            choices: [
              { value: '', label: t('campaign.no_template') },
              ...ofChannel({ channel: one }).map(({ template_id, name }) => ({
                value: String(template_id),
                label: name,
              })),
            ],
            when: (values: Values) => (channel ?? values.channel) === one,
          })),
        ...contentFields(hasNoTemplate),
      ],
    },
    ...optionGroups(channel),
  ];
}

/** The form's audience as the API has it; an empty template takes the content that is written here. */
function bodyOf(body: Record<string, unknown>, values: Values, isNew: boolean): never {
  const { audience: _audience, channel: _channel, template_id: _template, ...rest } = optionsBody(body, values);
  const [kind, id] = String(values.audience).split(':');
  const audience = {
    list_id: kind === 'list' ? Number(id) : null,
    segment_id: kind === 'segment' ? Number(id) : null,
  };
  const template_id = values.template_id === '' ? null : Number(values.template_id);
  return { ...rest, ...audience, template_id, ...(isNew ? { type: values.channel } : {}) } as never;
}

const fieldOf = (field: string): string =>
  field === 'list_id' || field === 'segment_id' ? 'audience' : optionField(field);

const EMPTY: Values = {
  ...{ name: '', channel: 'email', audience: '', from: '', template_id: '' },
  ...{ subject: '', preview_text: '', content: '' },
  ...NO_OPTIONS,
};

export function CreatePage() {
  return <Loaded query={useChoices()}>{(choices) => <Create choices={choices} />}</Loaded>;
}

function Create({ choices }: { choices: Choices }) {
  const { api } = useShop();
  const go = useGo();
  return (
    <>
      <PageHeader title={t('campaign.new')} back={{ path: 'campaigns', text: t('nav.campaigns') }} />
      <RecordForm
        draft="campaigns-new"
        groups={groups(choices, null)}
        initial={EMPTY}
        whole
        save={async (body, values) => {
          const { campaign_id } = await ok(api.POST('/campaigns', { body: bodyOf(body, values, true) }));
          return () => go(`campaigns/${campaign_id}`, { replace: true });
        }}
        fieldOf={fieldOf}
        done={{ text: t('form.created') }}
        cancel="campaigns"
        submit={t('campaign.save_draft')}
      >
        {(values) => <CampaignPreview values={values} choices={choices} />}
      </RecordForm>
    </>
  );
}

export function EditPage() {
  const campaign = useCampaign(useId());
  return (
    <Loaded query={useChoices()}>
      {(choices) => <Loaded query={campaign}>{(one) => <Edit campaign={one} choices={choices} />}</Loaded>}
    </Loaded>
  );
}

function valuesOf(campaign: Campaign): Values {
  const { name, type, from, template_id, subject, preview_text, content } = campaign;
  return {
    ...{ name, channel: type, audience: audienceOf(campaign), from: from ?? '' },
    template_id: template_id === null ? '' : String(template_id),
    ...{ subject: subject ?? '', preview_text: preview_text ?? '', content: content ?? '' },
    ...optionValues(campaign),
  };
}

function Edit({ campaign, choices }: { campaign: Campaign; choices: Choices }) {
  const { api } = useShop();
  const path = `campaigns/${campaign.campaign_id}`;
  const { name, type } = campaign;
  const params = { path: { id: campaign.campaign_id } };
  return (
    <>
      <PageHeader title={t('form.edit', { name })} back={{ path, text: name }} />
      <RecordForm
        draft={path}
        groups={groups(choices, type)}
        initial={valuesOf(campaign)}
        theirs={async () => {
          const stored = await ok(api.GET('/campaigns/{id}', { params }));
          return { values: valuesOf(stored), revision: stored.revision };
        }}
        save={(body, values, headers) =>
          ok(api.PATCH('/campaigns/{id}', { params, headers, body: bodyOf(body, values, false) }))
        }
        fieldOf={fieldOf}
        done={{ path, text: t('form.saved') }}
        cancel={path}
        submit={t('action.save')}
      >
        {(values) => <CampaignPreview values={values} choices={choices} />}
      </RecordForm>
    </>
  );
}
