using System.Buffers;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using NativeThreading.Queues;
using NativeThreading.Tasks;

namespace NativeThreading.Diagnostics;

/// <summary>The type and the method that a user wrote, from what stands for an item. Names that the compiler made are led back to where
/// they come from: a lambda to the method that contains it, a state machine to its async method.</summary>
internal static class ItemName
{
    private static readonly SearchValues<char> s_ordinal = SearchValues.Create("0123456789_");

    /// <summary>What an observer says of a running item.</summary>
    /// <param name="subject">A delegate, a method, a type, or a <see cref="NamedItem"/>.</param>
    /// <param name="running">How long the item has been running.</param>
    public static RunningItem Describe(object subject, TimeSpan running)
    {
        (string? label, object? inner) = subject is NamedItem named ? (named.Name, (object?)named.Method) : (null, subject);
        (string? type, string? method) = inner is null ? default : Of(inner);
        return new RunningItem(type, method, running) { Label = label, Lambda = inner is null ? null : LambdaOf(inner) };
    }

    /// <summary>One name of a subject.</summary>
    /// <param name="subject">A delegate, a method, a type, or a <see cref="NamedItem"/>.</param>
    public static string NameOf(object subject)
    {
        if (subject is NamedItem { Name: var name })
        {
            return name;
        }

        (string? type, string? method) = Of(subject);
        return method is null ? type ?? "unknown" : $"{type}.{method}";
    }

    /// <param name="subject">A delegate, a method or a type.</param>
    public static (string? Type, string? Method) Of(object subject) => subject switch
    {
        Delegate callback => StateMachineIn(callback.Target?.GetType()) is { } machine ? OfType(machine) : OfDelegate(callback),
        MethodBase method => Clean(method.DeclaringType?.FullName, method.Name),
        Type type => OfType(StateMachineIn(type) ?? type),
        _ => default,
    };

    /// <summary>The number of a lambda in its method, from 1; the compiler counts them in the order of the source.</summary>
    private static int? LambdaOf(object subject)
    {
        string? name = subject switch
        {
            Delegate callback => StateMachineIn(callback.Target?.GetType())?.Name ?? DiagnosticMethodInfo.Create(callback)?.Name,
            MethodBase method => method.Name,
            Type type => (StateMachineIn(type) ?? type).Name,
            _ => null,
        };
        const string mark = ">b__"; // of <Main>b__1 and <Main>b__0_1, and in the name of its state machine <<Main>b__0_1>d
        if (name?.LastIndexOf(mark, StringComparison.Ordinal) is not (>= 0 and var at))
        {
            return null;
        }

        ReadOnlySpan<char> digits = name.AsSpan(at + mark.Length);
        int end = digits.IndexOfAnyExcept(s_ordinal);
        digits = end < 0 ? digits : digits[..end];
        return int.TryParse(digits[(digits.LastIndexOf('_') + 1)..], CultureInfo.InvariantCulture, out int ordinal) ? ordinal + 1 : null;
    }

    /// <summary>The runtime's boxes of async methods have the state machine as an argument of their type.</summary>
    private static Type? StateMachineIn(Type? box) =>
        box is { IsGenericType: true } ? Array.Find(box.GetGenericArguments(), typeof(IAsyncStateMachine).IsAssignableFrom) : null;

    private static (string? Type, string? Method) OfDelegate(Delegate callback) =>
        DiagnosticMethodInfo.Create(callback) is { } method ? Clean(method.DeclaringTypeName, method.Name) : (callback.Target?.GetType().FullName, null);

    private static (string? Type, string? Method) OfType(Type type) =>
        typeof(IAsyncStateMachine).IsAssignableFrom(type) ? Clean(NameOf(type), "MoveNext")
        : typeof(IThreadPoolWorkItem).IsAssignableFrom(type) && !typeof(Task).IsAssignableFrom(type) ? Clean(NameOf(type), nameof(IThreadPoolWorkItem.Execute))
        : Clean(NameOf(type), null);

    private static string? NameOf(Type type) => type.IsGenericType ? type.GetGenericTypeDefinition().FullName : type.FullName;

    /// <summary>Takes what the compiler nested into a type off its name; what stands in angle brackets there or in the method's name
    /// is what the user wrote.</summary>
    private static (string? Type, string? Method) Clean(string? type, string? method)
    {
        string? written = Written(method);
        int nested = type?.IndexOf("+<", StringComparison.Ordinal) ?? -1;
        if (nested >= 0)
        {
            written ??= Written(type![(type!.LastIndexOf("+<", StringComparison.Ordinal) + 1)..]); // the innermost: that of an async lambda is in a closure
            type = type![..nested];
        }

        if (type?.IndexOf('[', StringComparison.Ordinal) is > 0 and var arguments)
        {
            type = type[..arguments];
        }

        return (type?.Replace('+', '.'), written ?? method);
    }

    /// <summary>"Render" of <c>&lt;Render&gt;b__0</c>, <c>&lt;Render&gt;d__3</c> and <c>&lt;Main&gt;g__Render|0_1</c>.</summary>
    private static string? Written(string? name)
    {
        int end = name is ['<', ..] ? name.LastIndexOf('>') : -1;
        if (end <= 1)
        {
            return null;
        }

        string inner = name![1..end];
        string rest = name[(end + 1)..];
        return rest.StartsWith("g__", StringComparison.Ordinal) && rest.IndexOf('|', StringComparison.Ordinal) is > 0 and var bar
            ? rest[3..bar]
            : Written(inner) ?? inner.Trim('<', '>', '$');
    }
}

/// <summary>What stands for an item whose callback may belong to this library: the delegate, or the type, that a user would recognize.
/// Nothing of users is called, and nothing is allocated.</summary>
internal static class ItemSubject
{
    /// <returns>A delegate or a type.</returns>
    public static object Of(Action<object?> callback, object? state) => state switch
    {
        IItemSubject own => Of(own) ?? (object)callback,
        Delegate inner => Unwrapped(inner), // a context's post of an await, or a callback that only calls its state
        Task { AsyncState: IItemSubject own } => Of(own) ?? (object)callback,
        Task task when EntryFunction.Is(task) => Unwrapped(EntryFunction.FunctionOf(task)!),
        Task => state.GetType(), // of an async method it names the state machine
        IThreadPoolWorkItem when NativeThreadPool.ExecutesWorkItem(callback) => state.GetType(),
        _ => Unwrapped(callback),
    };

    /// <inheritdoc cref="Of(Action{object?}, object?)"/>
    public static object Of(Delegate function) => Unwrapped(function);

    private static Delegate? Of(IItemSubject own) => own.Subject is { } subject ? Unwrapped(subject) : null;

    /// <summary>A delegate may be bound to an object that knows the user's: to an object of this library, or, as one of another type, to the user's itself.</summary>
    private static Delegate Unwrapped(Delegate subject) => subject.Target switch
    {
        IItemSubject own => own.Subject ?? subject,
        Delegate inner => inner,
        _ => subject,
    };
}

/// <summary>An item to which code gave a name.</summary>
/// <param name="Name">The name.</param>
/// <param name="Method">The method that the item is for, if that is known.</param>
internal sealed record NamedItem(string Name, MethodBase? Method);
