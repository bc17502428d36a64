using System.Globalization;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Hosting;

/// <summary>Says in words what is wrong with one pool, one event loop or the built-in pool. Immutable.</summary>
/// <param name="Subject">The name of the pool or loop; <c>built-in pool</c> for the built-in thread pool.</param>
/// <param name="SubjectId">Its number in the process, with its kind: <c>pool-1</c>, <c>loop-3</c>, <c>runtime-pool</c>.</param>
/// <param name="Conditions">Its conditions, the worst first; at least one.</param>
/// <example>
/// <code>
/// foreach (Verdict verdict in conditions.Verdicts)
/// {
///     Console.WriteLine($"{verdict.Subject}: {verdict.Conditions.Count} conditions since {verdict.Since}");
/// }
/// </code>
/// </example>
public sealed record Verdict(string Subject, string SubjectId, IReadOnlyList<Condition> Conditions)
{
    /// <summary>Gets the whole verdict without its time: the subject and the words of each condition.</summary>
    public string Text => $"{Subject}: {string.Join(", ", Conditions.Select(static condition => condition.Text))}";

    /// <summary>Gets the start of its oldest condition.</summary>
    public DateTimeOffset Since => Conditions.Min(static condition => condition.Since);

    /// <inheritdoc/>
    public override string ToString() => Condition.Dated(Text, Since);
}

/// <summary>One condition of a pool or loop that needs attention: what is wrong, since when, and what to do. Immutable.</summary>
/// <param name="Id">Its permanent id, <c>queue-full</c>: the tag of the metric and the heading in the documentation.</param>
/// <param name="Text">The condition in words and numbers.</param>
/// <param name="Since">The start of the condition, as far as it is known.</param>
/// <param name="Remedy">The advice: what to do about it.</param>
/// <example>
/// <code>
/// foreach (Condition condition in conditions.Verdicts.SelectMany(verdict =&gt; verdict.Conditions))
/// {
///     Console.WriteLine($"{condition.Text} since {condition.Since}. {condition.Remedy}");
/// }
/// </code>
/// </example>
public sealed record Condition(string Id, string Text, DateTimeOffset Since, string Remedy)
{
    /// <inheritdoc/>
    public override string ToString() => Dated(Text, Since);

    internal static string Dated(string text, DateTimeOffset since) =>
        string.Create(CultureInfo.InvariantCulture, $"{text}, since {since.UtcDateTime:HH:mm:ss} UTC");
}

/// <summary>The limits beyond which a pool or a loop counts as in trouble: <c>services.Configure&lt;ConditionOptions&gt;(...)</c>.</summary>
/// <example>
/// <code>
/// services.Configure&lt;ConditionOptions&gt;(limits =&gt; limits.MaxTurn = TimeSpan.FromMilliseconds(200));
/// </code>
/// </example>
public sealed class ConditionOptions
{
    /// <summary>Gets or sets how long the oldest item of a pool may wait. Positive; 5 seconds by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is zero or negative.</exception>
    public TimeSpan MaxWorkItemAge { get; set => field = Positive(value, nameof(MaxWorkItemAge)); } = TimeSpan.FromSeconds(5);

    /// <summary>Gets or sets how long one turn of an event loop may take. Positive; 100 ms by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is zero or negative.</exception>
    public TimeSpan MaxTurn { get; set => field = Positive(value, nameof(MaxTurn)); } = TimeSpan.FromMilliseconds(100);

    /// <summary>Gets or sets how often the library checks for conditions on its own. Positive; <see langword="null"/> by default: it then checks only
    /// when a health check, a metric or the live page asks, and after a warning of a pool.</summary>
    /// <remarks>Set it if the log must have every condition of an application without a health check, a metric or the live page. A check takes some
    /// microseconds for each thread.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is zero or negative.</exception>
    public TimeSpan? CheckInterval { get; set => field = value is { } known ? Positive(known, nameof(CheckInterval)) : null; }

    private static TimeSpan Positive(TimeSpan value, string name) => value > TimeSpan.Zero
        ? value
        : throw new ArgumentOutOfRangeException(name, value, $"{name} must be positive, but was {value}.");
}

/// <summary>A kind of condition. docs/reference/conditions.md has a section for each, with the same words.</summary>
internal sealed record ConditionKind(string Id, LogLevel Level, string Remedy)
{
    public static readonly ConditionKind LimitReached = new(
        "limit-reached", LogLevel.Error, "Make the blocking code asynchronous, or raise MaxBlockedThreads. Until then, new work waits until a blocked thread returns.");

    public static readonly ConditionKind Starvation = new(
        "starvation", LogLevel.Warning, "Make the blocking code asynchronous. The pool adds threads within milliseconds if its limits allow that.");

    public static readonly ConditionKind Rescue = new(
        "rescue", LogLevel.Error, "Await instead of blocking on work of the same pool (Task.Result, Task.Wait). Without rescue threads this is a deadlock.");

    public static readonly ConditionKind BuiltInPoolStarving = new(
        "built-in-pool-starving", LogLevel.Warning, "Move the blocking code to a NativeThreading pool, or make it asynchronous. The built-in pool adds one or two threads a second.");

    public static readonly ConditionKind QueueFull = new(
        "queue-full", LogLevel.Warning, "Find out why items take so long, or send less work. If the load is expected, raise MaxThreads or QueueLimit.");

    public static readonly ConditionKind ExpiredItem = new(
        "expired-item", LogLevel.Warning, "Find out why items wait: blocked threads, or too much work for the threads. If the wait is expected, raise StartWithin.");

    public static readonly ConditionKind OldItem = new(
        "old-item", LogLevel.Warning, "If the threads are blocked, make their code asynchronous. If they run, raise MaxThreads or send less work.");

    public static readonly ConditionKind LongTurn = new(
        "long-turn", LogLevel.Warning, "Offload the callback to a pool, or split it. Other callbacks of the loop wait until it returns.");

    public static readonly ConditionKind LostWake = new(
        "lost-wake", LogLevel.Error, "Report this: it is a bug in NativeThreading. The wake-up has been repeated, and no item was lost.");

    /// <summary>All kinds, the worst first.</summary>
    public static readonly ConditionKind[] All = [LimitReached, Starvation, Rescue, BuiltInPoolStarving, QueueFull, ExpiredItem, OldItem, LongTurn, LostWake];

    /// <summary>The kinds that a pool can have.</summary>
    public static readonly ConditionKind[] OfPools = [LimitReached, Starvation, Rescue, QueueFull, ExpiredItem, OldItem, LostWake];

    public static ConditionKind Of(string id) => Array.Find(All, kind => kind.Id == id)!;
}
