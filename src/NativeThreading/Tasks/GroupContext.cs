namespace NativeThreading.Tasks;

/// <summary>The context of a group's item that also carries an execution context: the one case that costs an object.</summary>
internal sealed class GroupContext(WorkGroup group, ExecutionContext context)
{
    public WorkGroup Group { get; } = group;

    public ExecutionContext Context { get; } = context;
}
