using NativeThreading.Diagnostics;
using NativeThreading.Limits;

namespace NativeThreading.Tasks;

/// <summary>The context of a group's item that also carries an execution context: the one case that costs an object.</summary>
internal sealed class GroupContext(WorkGroup group, ExecutionContext context)
{
    /// <summary>The group that an item's context belongs to, if any.</summary>
    public static WorkGroup? GroupOf(object? context) =>
        AdmittedContext.Peel(TimedContext.Unwrap(context)) switch
        {
            WorkGroup group => group,
            GroupContext both => both.Group,
            _ => null,
        };

    public WorkGroup Group { get; } = group;

    public ExecutionContext Context { get; } = context;
}
