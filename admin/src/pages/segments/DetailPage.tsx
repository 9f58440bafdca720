import { Button } from '@mantine/core';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useOffer } from '../../rules/offer.ts';
import { RuleSentence } from '../../rules/RuleSentence.tsx';
import { Anchor } from '../../ui/Anchor.tsx';
import { DetailColumns, Facts, Loaded, Section } from '../../ui/DetailPage.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { ContactList } from '../contacts/ListPage.tsx';
import { AskWhy } from './AskWhy.tsx';
import { Growth } from './Growth.tsx';
import { Overlap } from './Overlap.tsx';
import { type Segment, useSegment } from './queries.ts';

export function DetailPage() {
  return <Loaded query={useSegment(useId())}>{(segment) => <SegmentPage segment={segment} />}</Loaded>;
}

/** A segment's rules in words, its members, its growth, and its overlap with others. */
function SegmentPage({ segment }: { segment: Segment & { count: number } }) {
  const { can } = useShop();
  const format = useFormat();
  const offer = useOffer();
  const id = segment.segment_id;
  return (
    <>
      <PageHeader title={segment.name} back={{ path: 'segments', text: t('nav.segments') }}>
        {can('marketing:write') ? (
          <Button component={Anchor} path={`segments/${id}/edit`} variant="default">
            {t('action.edit')}
          </Button>
        ) : null}
      </PageHeader>
      <div className="stack">
        <DetailColumns
          side={
            <>
              <AskWhy id={id} />
              <Overlap id={id} />
            </>
          }
        >
          <Section title={t('section.details')}>
            <Facts
              facts={[
                [t('nav.contacts'), format.number(segment.count)],
                [
                  t('segment.rules'),
                  <RuleSentence key="rules" value={segment.conditions} subject="contact" offer={offer} />,
                ],
                [t('field.changed'), <Moment key="changed" at={segment.updated_at} />],
              ]}
            />
          </Section>
          <Growth id={id} />
        </DetailColumns>
        <ContactList
          embedded
          segmentId={id}
          empty={{ title: t('segment.none'), text: t('segment.none.text') }}
          title={t('nav.contacts')}
          more={[
            {
              key: 'why',
              title: t('segment.why.column'),
              cell: (contact) => (
                <Anchor path={`segments/${id}/contacts/${contact.contact_id}`}>{t('segment.why')}</Anchor>
              ),
            },
          ]}
        />
      </div>
    </>
  );
}
