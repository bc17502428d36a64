using System.Runtime.InteropServices;

namespace NativeThreading.Tests.Platform;

/// <summary>Sizes and offsets as the runtime lays out blittable structs, which marshalling does not change.</summary>
internal static class ManagedLayout
{
    public static long SizeOf(Type type) => Marshal.SizeOf(type switch
    {
        { IsEnum: true } => Enum.GetUnderlyingType(type),
        { IsPointer: true } => typeof(nint),
        _ => type,
    });

    public static long OffsetOf(Type type, string field) => Marshal.OffsetOf(type, field);
}
