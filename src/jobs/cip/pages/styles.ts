import { BASE_STYLES } from "../../../pages/styles.js";

/** The style sheet of a pack's pages. */
export const STYLES = `${BASE_STYLES}
.kicker .id { text-transform: none; }
.kicker { margin: 0; color: var(--quiet); letter-spacing: .08em; text-transform: uppercase; font-size: .75rem; font-weight: 600; }
table.listing { table-layout: fixed; } .listing th:nth-child(1) { width: 27%; } .listing th:nth-child(2) { width: 18%; } .listing th:nth-child(3) { width: 20%; }
.listing.changes th:nth-child(1) { width: 20%; } .listing.changes th:nth-child(2) { width: 17%; } .listing.changes th:nth-child(3) { width: 16%; }
.listing .verdict { white-space: normal; }
.headline.cip { grid-template-columns: repeat(5, 1fr); } .headline.cip li:first-child { grid-column: span 2; }
time { white-space: nowrap; }
.listing .ids { display: block; color: var(--quiet); font-size: .86em; }
.person { background: var(--paper); border: 1px solid var(--line); border-radius: 4px; padding: 1.1rem 1.25rem; margin: 0 0 1rem; }
.person .ids { margin: .1rem 0 0; color: var(--quiet); font-size: .9rem; }
.person .drawn { color: var(--quiet); font-size: .9rem; }
.exceptions { margin: .8rem 0 0; padding: .6rem .9rem .6rem 1.9rem; background: var(--bad); color: var(--bad-ink); border-radius: 4px; font-size: .9rem; }
.blocks { display: grid; grid-template-columns: repeat(3, 1fr); gap: 1rem 1.5rem; margin-top: 1rem; }
.blocks th, .blocks td { padding: .2rem .6rem; }
.blocks td:first-of-type { width: 7rem; } .blocks tbody th { width: 15rem; }
.blocks .wide { grid-column: 1 / -1; }
.blocks dl { margin: 0; }
.blocks dl div { display: grid; grid-template-columns: 6.8rem 1fr; gap: .5rem; padding: .18rem 0; border-bottom: 1px dotted var(--line); font-size: .9rem; }
.blocks dt { color: var(--quiet); }
.blocks dd { margin: 0; }
.blocks .records { margin-bottom: 0; font-size: .9rem; }
.blocks ol { margin: .2rem 0 0; padding-left: 1.4rem; font-size: .9rem; }
.pages { columns: 2; column-gap: 2rem; padding-left: 1.3rem; }
@media (max-width: 46rem) { .headline.cip { grid-template-columns: 1fr 1fr; } .blocks { grid-template-columns: 1fr; } .pages { columns: 1; } }
@media print {
  .headline.cip { grid-template-columns: repeat(5, 1fr); }
  .blocks > section { break-inside: avoid; }
  .person { display: table; width: 100%; border: 0; border-top: 1px solid var(--ink); border-radius: 0; padding: 7pt 0 4pt; font-size: 8.5pt; }
  /* Repeated where a person goes on, so that no sheet is without a name. */
  .person > header { display: table-header-group; break-inside: avoid; } .person .chips { margin-bottom: 5pt; }
  .blocks { grid-template-columns: 1fr 1fr; gap: 6pt 12pt; margin-top: 6pt; } .blocks .later { order: 1; } .blocks dl div, .blocks p, .exceptions, .chip, .verdict { font-size: 8pt; padding-top: 0; padding-bottom: 0; }
  .blocks dl div { grid-template-columns: 92pt 1fr; } .blocks th, .blocks td { padding: 1pt 4pt; } .blocks tbody th { width: 160pt; } .blocks td:first-of-type { width: 56pt; }
  .exceptions { margin-top: 5pt; padding: 3pt 6pt 3pt 18pt; }
  .sample .person { break-before: page; border-top: 0; }
}
`;
