import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { useFormat } from '../../ui/format.tsx';
import css from './Page.module.css';
import { TILES, type Tile, useTile } from './queries.ts';

/** The day's work: how much there is of each, and the list of it. */
export function Tiles() {
  const { can } = useShop();
  return (
    <ul className={css.tiles} aria-label={t('home.tiles')}>
      {TILES.filter(({ scope }) => can(scope)).map((tile) => (
        <li key={tile.name}>
          <Count tile={tile} />
        </li>
      ))}
    </ul>
  );
}

function Count({ tile: { name, path, read } }: { tile: Tile }) {
  const format = useFormat();
  const { data: n } = useTile(name, read);
  return (
    <Anchor path={path} className={`${css.figure} ${css.tile}`}>
      <span>{t(`home.tile.${name}`)}</span>
      <span className="num">
        <strong className={css.value}>{n === undefined ? '–' : format.number(n)}</strong>{' '}
        <span className="dim">{n === undefined ? '' : t(`home.tile.${name}.text`, { n })}</span>
      </span>
    </Anchor>
  );
}
