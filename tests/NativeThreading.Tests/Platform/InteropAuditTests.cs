using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Platform;

/// <summary>What the P/Invokes of the assembly may and may not be, checked on the built assembly.</summary>
public sealed class InteropAuditTests
{
    public static TheoryData<string> EntryPoints() => new(PInvokes.OfTheCore.Select(PInvokes.EntryPoint));

    [Theory]
    [MemberData(nameof(EntryPoints))]
    public void T89_NoPInvokeSuppressesTheGCTransition(string entryPoint) =>
        Assert.DoesNotContain(
            Of(entryPoint).CustomAttributes,
            attribute => attribute.AttributeType == typeof(SuppressGCTransitionAttribute));

    [Theory]
    [MemberData(nameof(EntryPoints))]
    public void T90_PInvokeHasTheHeadersSignature(string entryPoint)
    {
        Assert.True(NativeHeader.Functions.TryGetValue(entryPoint, out NativeHeader.Function? function), $"The header does not declare {entryPoint}.");
        MethodInfo method = Of(entryPoint);

        Assert.Equal(AsManaged(function.Result), method.ReturnType);
        Assert.Equal(function.Parameters.Select(AsManaged), method.GetParameters().Select(parameter => parameter.ParameterType));
        Assert.False(PInvokes.Import(method).SetLastError, "Natives return -errno.");
    }

    [Fact]
    public void T90_EveryFunctionOfTheHeaderIsImported() =>
        Assert.Equal(
            NativeHeader.Functions.Keys.Order(StringComparer.Ordinal),
            PInvokes.OfTheCore.Select(PInvokes.EntryPoint).Order(StringComparer.Ordinal));

    [Fact]
    public void T90_RuntimeMarshallingIsDisabled() =>
        Assert.NotNull(typeof(NativeThreadPool).Assembly.GetCustomAttribute<DisableRuntimeMarshallingAttribute>());

    [Fact]
    public void T92_NoCallbackCrossesTheBoundary()
    {
        Assert.DoesNotContain("(*", NativeHeader.Text, StringComparison.Ordinal);
        Assert.DoesNotContain(PInvokes.OfTheCore, method => method.GetParameters().Any(parameter =>
            typeof(Delegate).IsAssignableFrom(parameter.ParameterType) || parameter.ParameterType.IsFunctionPointer));
        Assert.DoesNotContain(PInvokes.Methods, method => method.IsDefined(typeof(UnmanagedCallersOnlyAttribute)));
        Assert.DoesNotContain(SourceTree.Sources, file => File.ReadAllText(file).Contains("FunctionPointerForDelegate", StringComparison.Ordinal));
    }

    private static MethodInfo Of(string entryPoint) => PInvokes.OfTheCore.Single(method => PInvokes.EntryPoint(method) == entryPoint);

    // Handles travel as nint; a pointer to one as nint*.
    private static Type AsManaged(string type) => type switch
    {
        "void" => typeof(void),
        "int32_t" => typeof(int),
        "uint32_t" => typeof(uint),
        "int64_t" => typeof(long),
        "uint64_t" => typeof(ulong),
        "int32_t *" or "const int32_t *" => typeof(int*),
        "uint64_t *" => typeof(ulong*),
        "void *" => typeof(void*),
        "char *" => typeof(byte*),
        _ when type.EndsWith("char * *", StringComparison.Ordinal) => typeof(byte**),
        _ when type.EndsWith("* *", StringComparison.Ordinal) => typeof(nint*),
        _ when type.EndsWith('*') && type.Contains("nth_", StringComparison.Ordinal) => typeof(nint),
        _ => throw new ArgumentOutOfRangeException(nameof(type), type, "The header uses a type that this test does not know."),
    };

}
