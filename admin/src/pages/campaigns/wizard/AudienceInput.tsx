import { Button } from '@mantine/core';
import type { BodyOf } from '../../../api/client.ts';
import { t } from '../../../i18n/i18n.ts';
import { Input } from '../../../ui/form/fields.tsx';
import { type InputProps, type Value, wordsOf } from '../../../ui/form/values.ts';
import { Icon } from '../../../ui/Icon.tsx';
import type { Campaign, Choices } from '../queries.ts';

type AudiencePart = Campaign['audiences'][number];
type CampaignBody = BodyOf<'/campaigns', 'post'>;

/** The parts as a form keeps them: `list:3,segment:7`. */
export function typedParts(parts: readonly AudiencePart[]): string {
  return parts.map(keyOf).join(',');
}

/** `list:3`, `segment:7` or `unopened:12`. */
function keyOf({ list_id, segment_id, unopened_campaign_id }: AudiencePart): string {
  if (list_id !== undefined) return `list:${list_id}`;
  return segment_id === undefined ? `unopened:${unopened_campaign_id}` : `segment:${segment_id}`;
}

/** The parts in the form of the API. */
export function partsOf(value: Value | undefined): NonNullable<CampaignBody['audiences']> {
  return wordsOf(String(value ?? '')).map((word) => {
    const [kind, id] = word.split(':');
    if (kind === 'list') return { list_id: Number(id) };
    return kind === 'segment' ? { segment_id: Number(id) } : { unopened_campaign_id: Number(id) };
  });
}

/** The lists and segments to choose from, and the campaigns that the audience names already. */
export function partChoices({ lists, segments, unopened }: Choices): { value: string; label: string }[] {
  return [
    ...unopened.map(({ campaign_id, name }) => ({
      value: `unopened:${campaign_id}`,
      label: t('campaign.unopened', { name }),
    })),
    ...lists.map(({ list_id, name }) => ({ value: `list:${list_id}`, label: t('campaign.list', { name }) })),
    ...segments.map(({ segment_id, name }) => ({
      value: `segment:${segment_id}`,
      label: t('campaign.segment', { name }),
    })),
  ];
}

/** The names of the parts; null if there are none. */
export function namesOf(parts: readonly AudiencePart[], choices: Choices): string | null {
  const labels = new Map(partChoices(choices).map(({ value, label }) => [value, label]));
  return parts.map((part) => labels.get(keyOf(part)) ?? t('campaign.part_deleted')).join(', ') || null;
}

/** Several lists and segments: a choice adds one, and a button for each removes it. */
export function AudienceInput({ field, value, error, context, onChange }: InputProps) {
  const { custom: _custom, choices = [], ...rest } = field;
  const chosen = wordsOf(String(value));
  const labels = new Map(choices.map((one) => [one.value, one.label]));
  const left = choices.filter((one) => !chosen.includes(one.value));
  return (
    <div className="stack">
      <Input
        field={{ ...rest, type: 'choice', choices: [{ value: '', label: t('campaign.part_add') }, ...left] }}
        value=""
        error={error}
        context={context}
        onChange={(added) => {
          if (added !== '') onChange([...chosen, String(added)].join(','));
        }}
      />
      {chosen.length === 0 ? null : (
        <ul className="row" aria-label={field.label}>
          {chosen.map((one) => {
            const name = labels.get(one) ?? t('campaign.part_deleted');
            return (
              <li key={one}>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t('campaign.part_remove', { name })}
                  rightSection={<Icon name="x" size={13} />}
                  onClick={() => onChange(chosen.filter((other) => other !== one).join(','))}
                >
                  {name}
                </Button>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
