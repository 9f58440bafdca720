import '../../templates/texts.ts';
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ok, type ResponseOf } from '../../../api/client.ts';
import { useId, useSearchValues } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { t, tOf } from '../../../i18n/i18n.ts';
import { Loaded, Section } from '../../../ui/DetailPage.tsx';
import { useFormat } from '../../../ui/format.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { Canvas } from '../builder/Canvas.tsx';
import { type Draft, draftOf, type Step } from '../model/draft.ts';
import { useFlow } from '../queries.ts';
import { type Difference, differenceOf, isSame } from './diff.ts';
import { Migration } from './Migration.tsx';
import css from './Versions.module.css';

type Version = ResponseOf<'/flows/{id}/versions'>['versions'][number];

/** Two versions of a flow side by side, their differences, and the runs of older ones. */
export function VersionsPage() {
  const { api, company } = useShop();
  const id = useId();
  const flow = useFlow(id);
  const versions = useQuery({
    queryKey: [company.id, 'flows', id, 'versions'],
    queryFn: ({ signal }) => ok(api.GET('/flows/{id}/versions', { params: { path: { id } }, signal })),
  });
  return (
    <Loaded query={flow}>
      {(one) => (
        <>
          <PageHeader
            title={t('versions.title', { name: one.name })}
            back={{ path: `flows/${id}`, text: t('builder.back') }}
          />
          <div className="stack">
            <Loaded query={versions}>{(data) => <Compared versions={data.versions} now={one} />}</Loaded>
            <Migration flow={one} />
          </div>
        </>
      )}
    </Loaded>
  );
}

const EDITED = 'edited';

function Compared({ versions, now }: { versions: Version[]; now: Draft }) {
  const format = useFormat();
  const [search, setSearch] = useSearchValues();
  const choices = [
    ...versions.map(({ version, created_at }) => ({
      value: String(version),
      label: t('versions.number', { version, at: format.moment(created_at) }),
    })),
    { value: EDITED, label: t('versions.edited') },
  ];
  const left = search.left ?? String(versions[1]?.version ?? versions[0]?.version ?? EDITED);
  const right = search.right ?? String(versions[0]?.version ?? EDITED);
  const draftAt = (value: string): Draft => {
    const version = versions.find((one) => String(one.version) === value);
    return draftOf(version === undefined ? now : (version as Draft));
  };
  const [before, after] = [draftAt(left), draftAt(right)];
  const difference = differenceOf(before, after);
  return (
    <>
      <div className={css.pair}>
        <Side
          side="left"
          choices={choices}
          value={left}
          draft={before}
          difference={difference}
          onChange={(value) => setSearch({ left: value })}
        />
        <Side
          side="right"
          choices={choices}
          value={right}
          draft={after}
          difference={difference}
          onChange={(value) => setSearch({ right: value })}
        />
      </div>
      <Section title={t('versions.differs')}>
        <Differences difference={difference} />
      </Section>
    </>
  );
}

interface SideProps {
  side: 'left' | 'right';
  choices: { value: string; label: string }[];
  value: string;
  draft: Draft;
  difference: Difference;
  onChange(value: string): void;
}

function Side({ side, choices, value, draft, difference, onChange }: SideProps) {
  const { marks, wayMarks } = useMemo(() => {
    const { added, removed, changed, connected, disconnected } = difference;
    const own = side === 'left' ? removed : added;
    return {
      marks: new Map([
        ...changed.map(({ after }) => [after.step_id, 'changed'] as const),
        ...own.map(({ step_id }) => [step_id, side === 'left' ? 'removed' : 'added'] as const),
      ]),
      wayMarks: new Map(
        (side === 'left' ? disconnected : connected).map(
          (way) => [way, side === 'left' ? 'removed' : 'added'] as const,
        ),
      ),
    };
  }, [difference, side]);
  return (
    <div className={css.side}>
      <NativeSelect
        label={tOf('versions', side)}
        value={value}
        data={choices}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <div className={css.canvas}>
        <Canvas
          key={value}
          draft={draft}
          at={null}
          selected={NONE}
          label={tOf('versions', side)}
          marks={marks}
          wayMarks={wayMarks}
          onChoose={() => undefined}
        />
      </div>
    </div>
  );
}

const NONE: readonly string[] = [];
const nameOf = (step: Step): string => `${step.name || tOf('flow.step', step.type)} (${step.step_id})`;

/** The differences in words: the colours of the drawing alone are not enough. */
function Differences({ difference }: { difference: Difference }) {
  if (isSame(difference)) return <p className="dim">{t('versions.same')}</p>;
  const { added, removed, changed, connected, disconnected, settings } = difference;
  const lines = [
    ...added.map((step) => ({ kind: 'added', text: nameOf(step) })),
    ...removed.map((step) => ({ kind: 'removed', text: nameOf(step) })),
    ...changed.map(({ after, fields }) => ({ kind: 'changed', text: `${nameOf(after)}: ${fields.join(', ')}` })),
    ...connected.map((way) => ({ kind: 'connected', text: way.replaceAll(' ', ' → ') })),
    ...disconnected.map((way) => ({ kind: 'disconnected', text: way.replaceAll(' ', ' → ') })),
    ...settings.map((name) => ({ kind: 'setting', text: name })),
  ];
  return (
    <ul className={css.lines}>
      {lines.map(({ kind, text }) => (
        <li key={`${kind} ${text}`} data-kind={kind} className="break">
          <strong>{tOf('versions.kind', kind)}</strong> {text}
        </li>
      ))}
    </ul>
  );
}
