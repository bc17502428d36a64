import { milliseconds, timeOfDay } from '../format';
import type { History } from '../history';
import { conditionHash } from './conditions';

interface Props {
  history: History;
  onChoose: (id: string) => void;
}

/** What is wrong, in words, the worst first; nothing where all is well. Below it what happened in the last minutes. */
export function Verdicts({ history, onChoose }: Props) {
  const verdicts = history.latest?.verdicts ?? [];
  return (
    <>
      {verdicts.length > 0 && (
        <section class="card verdicts" aria-labelledby="verdicts-title">
          <h2 id="verdicts-title">What is wrong</h2>
          <ul>
            {verdicts.map(({ subjectId, subject, text, since, conditions }) => (
              <li key={subjectId} data-condition={conditions[0]?.id}>
                <p>
                  <a href={`#${subjectId}`} onClick={() => onChoose(subjectId)}>{subject}</a>{text.slice(subject.length)}
                  {', since '}<time dateTime={since}>{timeOfDay(Date.parse(since) / 1000, true)}</time>
                  {' ('}{milliseconds(Math.max(0, history.end * 1000 - Date.parse(since)))}{')'}
                </p>
                <details>
                  <summary>What to do about {subject}</summary>
                  <ul>{conditions.map(({ id, remedy }) => (
                    <li key={id}><a href={`#${conditionHash}${id}`} title="What this condition means"><code>{id}</code></a> {remedy}</li>
                  ))}</ul>
                </details>
              </li>
            ))}
          </ul>
        </section>
      )}
      {history.events.length > 0 && (
        <details class="card events">
          <summary>What happened in the last 15 minutes</summary>
          <ul>{[...history.events].reverse().map(({ time, text }, index) => <li key={index}><time dateTime={time}>{timeOfDay(Date.parse(time) / 1000, true)}</time> {text}</li>)}</ul>
        </details>
      )}
    </>
  );
}
